// From a job's graph to the input of ELK, and to the numbers that a node shows. Pure.

import { stateOf, sum } from './model.js';

export const WIDTH = 250;
const HEAD = 30;
const LINE = 58;

/** Return ELK's graph: a box for each chain, with its steps, and one for each sink. */
export function elkGraph(graph) {
  const chains = graph.chains.map((chain) => ({
    id: `c${chain.chain}`,
    width: WIDTH,
    height: HEAD + LINE * shownSteps(chain).length,
  }));
  const sinks = graph.sinks.map((sink) => ({ id: `s${sink.sink}`, width: WIDTH, height: HEAD + 20 }));
  return {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.layered.spacing.nodeNodeBetweenLayers': '70',
      'elk.spacing.nodeNode': '30',
      'elk.edgeLabels.inline': 'false',
    },
    children: [...chains, ...sinks],
    edges: graph.edges.map((edge, place) => ({
      id: `e${place}`,
      sources: [`c${edge.from}`],
      targets: [edge.to === null ? `s${edge.sink}` : `c${edge.to}`],
      labels: [{ text: edgeLabel(edge), width: 7 * edgeLabel(edge).length, height: 14 }],
    })),
  };
}

/** Text at an edge: the hash keys and the changelog mode. */
export function edgeLabel(edge) {
  const ways = { HASH: `hash[${edge.keys.join(', ')}]`, SINGLE: 'single', BROADCAST: 'broadcast', FORWARD: '' };
  const mode = edge.changelog_mode ? `[${edge.changelog_mode}]` : '';
  return [ways[edge.partitioning] ?? edge.partitioning, mode].filter(Boolean).join(' ');
}

/** Steps that a box shows: reading, and the operators; merging and sending rows only where they are all. */
export function shownSteps(chain) {
  const steps = chain.steps.map((step, place) => ({ ...step, place }));
  const own = steps.filter((step) => step.operator !== 'exchange' && step.operator !== 'send');
  return own.length ? own : steps.slice(0, 1);
}

/** Numbers of a step: rates, state, late rows and changelog mode. */
export function numbers(job, rates, chain, step) {
  const counters = job.chains.find((each) => each.chain === chain)?.steps[step.place];
  const found = rates.get(`${chain}/${step.place}`);
  return {
    rows: found ? found.rows : null,
    busy: found ? found.busy : null,
    out: counters ? counters.records_out : null,
    late: counters ? counters.late_records_dropped : 0,
    state: stateOf(job.states, step.state),
    mode: step.changelog_mode,
  };
}

/** Boxes in reading order: from left to right, then from top to bottom. */
export function inOrder(boxes) {
  return [...boxes].sort((a, b) => a.x - b.x || a.y - b.y).map((box) => box.id);
}

/** The box that an arrow key leads to. */
export function neighbour(boxes, edges, id, key) {
  const from = boxes.find((box) => box.id === id);
  if (!from) return boxes.length ? inOrder(boxes)[0] : null;
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    const forward = key === 'ArrowRight';
    const next = edges.filter((e) => (forward ? e.sources[0] : e.targets[0]) === id);
    return next.length ? (forward ? next[0].targets[0] : next[0].sources[0]) : id;
  }
  const column = boxes.filter((box) => Math.abs(box.x - from.x) < WIDTH).sort((a, b) => a.y - b.y);
  const place = column.findIndex((box) => box.id === id) + (key === 'ArrowDown' ? 1 : -1);
  return column[Math.min(Math.max(place, 0), column.length - 1)].id;
}

/** Totals of all states of a job. */
export const totals = (job) => ({ entries: sum(job.states, 'entries'), bytes: sum(job.states, 'bytes') });
