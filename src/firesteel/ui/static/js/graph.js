// The graph of a job: chains of operators, laid out by ELK in a worker.

import '../vendor/elk-api.js';
import { html, useEffect, useMemo, useState } from '../vendor/htm-preact.js';
import { bytes, count, rate, share, time } from './format.js';
import { edgeLabel, elkGraph, inOrder, neighbour, numbers, shownSteps, WIDTH } from './graph_model.js';
import { operatorName, rates } from './model.js';

let elk = null;
const layouts = () => (elk ??= new window.ELK({ workerUrl: '/static/vendor/elk-worker.min.js' }));

export function Graph({ graph, state, chosen, choose }) {
  const [layout, setLayout] = useState(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let current = true;
    layouts()
      .layout(elkGraph(graph))
      .then((found) => current && setLayout(found), (error) => current && setFailure(String(error)));
    return () => (current = false);
  }, [graph]);
  const found = useMemo(() => rates(state.samples), [state.samples]);
  if (failure) return html`<p class="note" role="alert">The graph cannot be drawn: ${failure}</p>`;
  if (!layout) return html`<div class="graph waiting" aria-busy="true"></div>`;
  const move = (event) => {
    if (event.key === 'Escape') return choose(null);
    if (!event.key.startsWith('Arrow')) return undefined;
    event.preventDefault();
    const next = neighbour(layout.children, layout.edges, event.target.id.slice(4), event.key);
    document.getElementById(`box-${next}`)?.focus();
    return undefined;
  };
  const order = inOrder(layout.children);
  const boxes = order.map((id) => layout.children.find((box) => box.id === id));
  const box = (each) => html`<${Box} key=${each.id} ...${{ each, graph, state, found, chosen, choose }} />`;
  return html`<div class="graph" onKeyDown=${move}>
    <svg width=${layout.width} height=${layout.height} viewBox=${`0 0 ${layout.width} ${layout.height}`}
      role="group" aria-label="Graph of the job. Arrow keys move from chain to chain.">
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0 8 4 0 8z" /></marker></defs>
      ${layout.edges.map((edge, place) => html`<${Edge} edge=${edge} of=${graph.edges[place]} />`)}
      ${boxes.map(box)}
    </svg></div>`;
}

function Edge({ edge, of }) {
  const section = edge.sections[0];
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  const label = edge.labels[0];
  return html`<g class=${of.partitioning === 'FORWARD' ? 'edge' : 'edge exchange'}>
    <polyline points=${points.map((p) => `${p.x},${p.y}`).join(' ')} marker-end="url(#arrow)" />
    <text x=${label.x} y=${label.y + 11}>${edgeLabel(of)}</text></g>`;
}

function Box({ each, graph, state, found, chosen, choose }) {
  const isSink = each.id.startsWith('s');
  const number = Number(each.id.slice(1));
  const chain = isSink ? null : graph.chains.find((one) => one.chain === number);
  const title = isSink ? sinkTitle(graph.sinks[number]) : `chain ${number}`;
  const steps = chain ? shownSteps(chain) : [];
  const summary = steps.map((step) => `${step.operator}, ${numbers(state.job, found, number, step).out ?? 0} rows`);
  return html`<g id=${`box-${each.id}`} class="box" tabindex="0" role="img" transform=${`translate(${each.x},${each.y})`}
    aria-label=${[title, ...summary].join('; ')}>
    <rect width=${each.width} height=${each.height} rx="6" />
    <text class="title" x="10" y="20">${title}</text>
    ${steps.map((step, place) => html`<${Step} key=${place} ...${{ step, place, number, state, found, chosen, choose }} />`)}
  </g>`;
}

const sinkTitle = (sink) => (sink.table ? `sink ${sink.table.split('.').pop()}` : 'result');

function Step({ step, place, number, state, found, chosen, choose }) {
  const shown = numbers(state.job, found, number, step);
  const isSource = step.operator.startsWith('read');
  const mark = isSource && state.job.metrics?.watermark_milliseconds;
  const second = [
    shown.mode,
    shown.state && `state ${count(shown.state.entries)} · ${bytes(shown.state.bytes)}`,
    shown.late > 0 && `${count(shown.late)} late`,
    mark && `watermark ${time(mark).slice(11, 19)}`,
  ].filter(Boolean);
  const isChosen = step.plan && step.plan === chosen;
  return html`<g class=${isChosen ? 'step chosen' : 'step'} transform=${`translate(0,${30 + place * 58})`}
    onMouseEnter=${() => choose(step.plan)} onClick=${() => choose(step.plan)}>
    <title>${step.plan ?? step.operator}</title>
    <rect class="row" x="4" y="0" width=${WIDTH - 8} height="54" rx="4" />
    <text class="name" x="12" y="16">${short(operatorName(step.operator))}</text>
    <text x="12" y="32">${rate(shown.rows)} · busy ${share(shown.busy)} · ${count(shown.out)} rows</text>
    <text class="faint" x="12" y="47">${short(second.join(' · '), 40)}</text></g>`;
}

const short = (text, most = 30) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
