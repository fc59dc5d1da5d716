// One job: its header, and tabs.

import { html, useEffect, useState } from '../vendor/htm-preact.js';
import { bytes, count, duration, time } from './format.js';
import { Graph } from './graph.js';
import { seconds } from './model.js';
import { totals } from './graph_model.js';
import { Plan } from './plan.js';
import { Result } from './result.js';
import { History, Options, Sources } from './tables.js';
import { Timeline } from './timeline.js';

export const TABS = ['graph', 'result', 'batches', 'plan', 'sources', 'options', 'history'];

export function JobView({ state, tab, wanted, want }) {
  const [whole, setWhole] = useState(null);
  const [graph, setGraph] = useState(null);
  const [chosen, choose] = useState(null);
  const id = state.watched;
  const isPlanned = Boolean(state.job?.metrics);
  const created = state.job?.created;
  useEffect(() => {
    let current = true;
    setWhole(null);
    setGraph(null);
    const get = async (path, set) => {
      const answer = await fetch(path);
      if (answer.ok && current) set(await answer.json());
    };
    if (isPlanned) {
      get(`/api/v1/jobs/${id}`, setWhole).catch(() => {});
      get(`/api/v1/jobs/${id}/graph`, setGraph).catch(() => {});
    }
    return () => (current = false);
  }, [id, created, isPlanned]);
  if (state.missing) return html`<main><p class="note" role="alert">There is no job ${id}. <a href="#/">All jobs</a></p></main>`;
  if (!state.job) return html`<main aria-busy="true"></main>`;
  const { job } = state;
  const shown = {
    graph: () => (graph?.chains ? html`<${Graph} ...${{ graph, state, chosen, choose }} />` : html`<${Waiting} job=${job} />`),
    result: () => html`<${Result} ...${{ job, rows: state.rows, wanted, want }} />`,
    batches: () => html`<${Timeline} batches=${state.batches} />`,
    plan: () => html`<${Plan} ...${{ job, plan: whole?.plan ?? '', chosen, choose }} />`,
    sources: () => html`<${Sources} job=${job} />`,
    options: () => html`<${Options} options=${whole?.options ?? {}} />`,
    history: () => html`<${History} job=${job} />`,
  };
  return html`<main>
    <p><a href="#/">All jobs</a></p>
    <${Header} ...${{ job, graph }} />
    <${FromCheckpoint} job=${job} />
    ${job.state === 'FAILED' && html`<section class="failure" role="alert"><h3>Failed</h3><pre>${job.cause}</pre></section>`}
    ${job.state === 'RESTARTING' && html`<section class="failure"><h3>Restarts after</h3><pre>${job.cause}</pre></section>`}
    <${Tabs} id=${id} tab=${tab} />
    <div role="tabpanel" id="panel" aria-labelledby=${`tab-${tab}`} class="panel">${shown[tab]()}</div>
  </main>`;
}

const Waiting = ({ job }) => html`<p class="note">${job.phase || 'The job has no graph yet.'}</p>`;

/** Says how old the numbers of a page about a checkpoint are. */
function FromCheckpoint({ job }) {
  if (job.saved === undefined) return null;
  const last = job.committed === null ? 'no micro-batch yet' : `micro-batch ${job.committed}`;
  const age = job.saved === null ? '' : `, written at ${time(Date.parse(job.saved))} (UTC)`;
  return html`<p class="note">From the files of the checkpoint${age}. Last commit: ${last}.</p>`;
}

function Header({ job, graph }) {
  const metrics = job.metrics ?? {};
  const state = totals(job);
  const facts = [
    ['state', html`<span class=${`badge ${job.state}`}>${job.state}</span> ${graph?.chains ? job.phase : ''}`],
    ['up', duration(seconds(job))],
    ['statements', job.statements],
    ['rows in', count(metrics.records_in_total)],
    ['rows out', count(metrics.records_out_total)],
    ['batches', count(metrics.batches_total)],
    ['state kept', `${count(state.entries)} · ${bytes(state.bytes)}`],
    ['watermark', time(metrics.watermark_milliseconds)],
    ['restarts', count(job.restarts)],
    ['checkpoint', job.checkpoint ?? 'none'],
  ];
  return html`<h2>${job.label || `job ${job.id}`}</h2>
    <dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function Tabs({ id, tab }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length];
    location.hash = `#/jobs/${id}/${next}`;
    document.getElementById(`tab-${next}`).focus();
  };
  return html`<div role="tablist" aria-label="Views of the job" class="tabs" onKeyDown=${move}>${TABS.map((name) => html`<button
    role="tab" id=${`tab-${name}`} aria-selected=${String(name === tab)} aria-controls="panel" tabindex=${name === tab ? 0 : -1}
    onClick=${() => (location.hash = `#/jobs/${id}/${name}`)}>${name}</button>`)}</div>`;
}
