// The rows of a job's result: a page of them, sorted and searched by the server, or the last changes. Of an INSERT a sample of its changes.

import { html, useEffect, useState } from '../vendor/htm-preact.js';
import { count } from './format.js';

export const FIRST = { view: 'table', sort: -1, order: 'asc', sink: 0, find: '', page: 0 };
const TYPING = 300;

/** What the server is asked for, as the query of a URL. */
export const asked = (wanted) => new URLSearchParams(wanted).toString();

/** What is wanted after a click on the head of a column: sorted up, then down, then in the order of arrival. */
export function sorted(wanted, column) {
  if (wanted.sort !== column) return { ...wanted, sort: column, order: 'asc', page: 0 };
  if (wanted.order === 'asc') return { ...wanted, order: 'desc', page: 0 };
  return { ...wanted, sort: -1, order: 'asc', page: 0 };
}

/** How many rows there are, and how many of them are shown. */
export function said(rows) {
  if (rows.is_sample) return `A sample of the last changes, newest last. Tasks send it only while this page shows it`;
  if (rows.view === 'changes') return `The last ${rows.changes.length} of ${count(rows.change_count)} changes, newest last`;
  const part = rows.is_partial ? `. Only the first ${count(rows.most)} rows of this result are kept here, as far as they are still there` : '';
  return `${count(rows.found)} of ${count(rows.row_count)} rows${part}`;
}

export function Result({ job, rows, wanted, want }) {
  if (!job.has_rows) return html`<p class="note">This job shows no rows: only a command with --ui does.</p>`;
  if (rows?.is_sample) return html`<${Sample} ...${{ job, rows, wanted, want }} />`;
  const choose = (view) => html`<button aria-pressed=${String(wanted.view === view)} onClick=${() => want({ ...wanted, view })}>${view}</button>`;
  return html`<div class="tools">${choose('table')} ${choose('changes')} ${wanted.view === 'table' && html`<${Find} ...${{ wanted, want }} />`}</div>
    ${rows && rows.view === wanted.view ? html`<${Rows} ...${{ rows, wanted, want }} />` : html`<p class="note" aria-busy="true">…</p>`}`;
}

/** The changes that an INSERT sends, and a button for each of several sinks. */
function Sample({ job, rows, wanted, want }) {
  const none = job.ended ? 'The job ended before a task sent a sample.' : 'No task has sent a sample yet: the next micro-batch brings one.';
  const choose = (name, sink) => html`<button aria-pressed=${String(rows.sink === sink)} onClick=${() => want({ ...wanted, sink })}>${name}</button>`;
  return html`${rows.sinks.length > 1 && html`<div class="tools">${rows.sinks.map(choose)}</div>`}
    ${rows.changes.length ? html`<${Rows} ...${{ rows, wanted, want }} />` : html`<p class="note">${none}</p>`}`;
}

function Find({ wanted, want }) {
  const [text, setText] = useState(wanted.find);
  useEffect(() => {
    const waiting = setTimeout(() => text !== wanted.find && want({ ...wanted, find: text, page: 0 }), TYPING);
    return () => clearTimeout(waiting);
  }, [text]);
  return html`<input id="filter" type="search" placeholder="search ( / )" aria-label="Search the rows" value=${text}
    onInput=${(event) => setText(event.target.value)} onKeyDown=${(event) => event.key === 'Escape' && setText('')} />`;
}

function Rows({ rows, wanted, want }) {
  const isTable = rows.view === 'table';
  const arrow = (place) => (wanted.sort === place ? (wanted.order === 'asc' ? ' ▲' : ' ▼') : '');
  const direction = { asc: 'ascending', desc: 'descending' }[wanted.order];
  const head = (column, place) => html`<th scope="col" aria-sort=${wanted.sort === place ? direction : 'none'} title=${column.type}>
    <button onClick=${() => want(sorted(wanted, place))}>${column.name}${arrow(place)}</button></th>`;
  const plain = (name) => html`<th scope="col">${name}</th>`;
  const heads = isTable ? rows.columns.map(head) : ['change', ...rows.columns.map((column) => column.name)].map(plain);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Rows of the result"><table><caption>${said(rows)}</caption><thead><tr>${heads}</tr></thead>
      <tbody>${(isTable ? rows.rows : rows.changes).map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>
    ${isTable && rows.pages > 1 && html`<${Pages} ...${{ rows, wanted, want }} />`}`;
}

function Pages({ rows, wanted, want }) {
  const go = (page, label) => html`<button disabled=${page < 0 || page >= rows.pages} onClick=${() => want({ ...wanted, page })}>${label}</button>`;
  return html`<nav class="tools" aria-label="Pages of the result">${go(rows.page - 1, 'previous')}
    <span>page ${rows.page + 1} of ${rows.pages}</span> ${go(rows.page + 1, 'next')}</nav>`;
}
