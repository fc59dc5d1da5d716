// Tables of a job: sources and their lag, states, options, history.

import { html } from '../vendor/htm-preact.js';
import { bytes, count, share } from './format.js';
import { operatorName } from './model.js';

const shownTime = (text) => text.replace('T', ' ').replace('Z', '');

export function Table({ caption, heads, rows, none }) {
  if (!rows.length) return html`<p class="note">${none}</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table><caption>${caption}</caption>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Rows of the table of hot keys: operator, key, rows and share of the rows of this input. */
export function hotKeys(job) {
  return (job.hot_keys ?? []).flatMap((input) => {
    const name = input.port ? `${operatorName(input.operator)}, input ${input.port + 1}` : operatorName(input.operator);
    return input.keys.map(({ key, rows }) => [name, key.map((value) => value ?? 'NULL').join(', '), count(rows), share(rows / input.rows)]);
  });
}

export function Sources({ job }) {
  const reading = job.chains.flatMap((chain) => chain.steps.slice(0, 1)).filter((step) => step.operator.startsWith('read'));
  return html`<${Table} caption="Sources" heads=${['source', 'rows', 'busy seconds']} none="The job has no source yet."
      rows=${reading.map((step) => [operatorName(step.operator).slice(5), count(step.records_out), step.busy_seconds])} />
    <${Table} caption="Messages that wait to be read" heads=${['topic', 'partition', 'messages']} none="No source reports a lag."
      rows=${job.lag_messages.map((lag) => [lag.topic, lag.partition, count(lag.messages)])} />
    <${Table} caption="Keyed state" heads=${['state', 'entries', 'bytes']} none="The job keeps no state."
      rows=${job.states.map((state) => [state.state, count(state.entries), bytes(state.bytes)])} />
    <${Table} caption="Hot keys (estimated)" heads=${['operator', 'key', 'rows', 'share of the rows']} none="No key gets 1 % of the rows of an operator."
      rows=${hotKeys(job)} />`;
}

export function Options({ options }) {
  return html`<${Table} caption="Options that are set. Secrets are hidden." heads=${['key', 'value']}
    none="No option is set: all have their defaults." rows=${Object.entries(options)} />`;
}

export function History({ job }) {
  const metrics = job.metrics ?? {};
  const counted = [
    ['restarts', count(job.restarts)],
    ['dead letters', count(metrics.dead_letters_total)],
    ['messages skipped', count(metrics.records_skipped_total)],
    ['late rows dropped', count(metrics.late_records_dropped_total)],
  ];
  return html`<${Table} caption="Counts" heads=${['what', 'how many']} rows=${counted} />
    <${Table} caption="Changes of state, newest first" heads=${['time (UTC)', 'state', 'cause']} none="Nothing has happened yet."
      rows=${[...job.history].reverse().map((each) => [shownTime(each.time), each.state, html`<pre>${each.cause ?? ''}</pre>`])} />`;
}
