// The list of all jobs.

import { html, useState } from '../vendor/htm-preact.js';
import { count, duration } from './format.js';
import { filtered, seconds } from './model.js';

const MOST = 200;

export function JobsList({ state }) {
  const [text, setText] = useState('');
  const jobs = filtered(state.jobs.values(), text);
  const escape = (event) => {
    if (event.key === 'Escape') {
      setText('');
      event.target.blur();
    }
  };
  return html`<main><h2>Jobs</h2>
    <input id="filter" type="search" placeholder="filter ( / )" aria-label="Filter the jobs" value=${text}
      onInput=${(event) => setText(event.target.value)} onKeyDown=${escape} />
    <div class="scroll" tabindex="0" role="group" aria-label="Jobs"><table><caption>${jobs.length} of ${state.jobs.size} jobs, newest first</caption>
      <thead><tr>${['id', 'job', 'state', 'up', 'rows in', 'rows out', 'restarts'].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${jobs.slice(0, MOST).map((job) => html`<${Row} key=${job.id} job=${job} />`)}</tbody></table></div>
    ${jobs.length > MOST && html`<p class="note">${jobs.length - MOST} more</p>`}
  </main>`;
}

function Row({ job }) {
  const metrics = job.metrics ?? {};
  return html`<tr><td>${job.id}</td>
    <td class="wide"><a href=${`#/jobs/${job.id}/graph`}>${job.label}</a><div class="statement">${job.statement}</div></td>
    <td><span class=${`badge ${job.state}`}>${job.state}</span></td><td>${duration(seconds(job))}</td>
    <td>${count(metrics.records_in_total)}</td><td>${count(metrics.records_out_total)}</td><td>${count(job.restarts)}</td></tr>`;
}
