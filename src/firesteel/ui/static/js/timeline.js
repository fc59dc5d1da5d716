// The time line of micro-batches, drawn by uPlot, and what the last ones spent their time on.

import uPlot from '../vendor/uPlot.esm.js';
import { html, useEffect, useRef } from '../vendor/htm-preact.js';
import { count, duration } from './format.js';
import { operatorName } from './model.js';

const PARTS = ['waiting', 'tasks', 'delivery'];
const SHOWN = 20;

/** Columns of uPlot: end in seconds, rows, seconds. */
export function columns(batches) {
  return [
    batches.map((batch) => Date.parse(batch.ended) / 1000),
    batches.map((batch) => batch.records_in),
    batches.map((batch) => batch.seconds),
  ];
}

export function Timeline({ batches }) {
  const place = useRef(null);
  const chart = useRef(null);
  useEffect(() => {
    const width = () => Math.max(place.current.clientWidth, 200);
    chart.current = new uPlot(options(width(), place.current), columns(batches), place.current);
    const observer = new ResizeObserver(() => chart.current.setSize({ width: width(), height: 220 }));
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      chart.current.destroy();
    };
  }, []);
  useEffect(() => chart.current.setData(columns(batches)), [batches]);
  const last = batches.slice(-SHOWN).reverse();
  const longest = Math.max(...last.map((batch) => batch.seconds), 0.001);
  return html`<div>
    <div class="chart" ref=${place} role="img" aria-label="Rows and duration of each micro-batch over time. The table below has the numbers."></div>
    ${batches.length === 0 && html`<p class="note">No micro-batch has ended yet. A job on the batch host has none.</p>`}
    <p class="legend" aria-hidden="true">${PARTS.map((part) => html`<span><i class=${part}></i>${part}</span>`)}</p>
    <div class="scroll" tabindex="0" role="group" aria-label="The last micro-batches"><table><caption>The last ${last.length} micro-batches, newest first</caption>
      <thead><tr><th scope="col">batch</th><th scope="col">rows in</th><th scope="col">rows out</th><th scope="col">took</th>
        <th scope="col">spent on</th><th scope="col">busiest operator</th></tr></thead>
      <tbody>${last.map((batch) => html`<${Row} key=${batch.ended} batch=${batch} longest=${longest} />`)}</tbody></table></div>
  </div>`;
}

function Row({ batch, longest }) {
  const said = PARTS.map((part) => `${part} ${duration(batch.spent[part] ?? 0)}`).join(', ');
  const busiest = batch.busy.reduce((best, each) => (each.seconds > (best?.seconds ?? 0) ? each : best), null);
  return html`<tr><td>${batch.batch}</td><td>${count(batch.records_in)}</td><td>${count(batch.records_out)}</td>
    <td>${duration(batch.seconds)}</td>
    <td><svg class="spent" width="160" height="12" role="img" aria-label=${said}><title>${said}</title>${bars(batch, longest)}</svg></td>
    <td>${busiest ? `${operatorName(busiest.operator)} ${duration(busiest.seconds)}` : '–'}</td></tr>`;
}

function bars(batch, longest) {
  let x = 0;
  return PARTS.map((part) => {
    const width = (160 * (batch.spent[part] ?? 0)) / longest;
    x += width;
    return html`<rect class=${part} x=${x - width} width=${Math.max(width, 0)} height="12" />`;
  });
}

function options(width, element) {
  const color = (name) => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = () => ({ stroke: () => color('--faint'), grid: { stroke: () => color('--line') }, ticks: { stroke: () => color('--line') } });
  return {
    width,
    height: 220,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'), // as all other times of the page
    series: [
      { label: 'time (UTC)' },
      { label: 'rows', scale: 'rows', stroke: () => color('--accent'), width: 2 },
      { label: 'seconds', scale: 's', stroke: () => color('--second'), width: 2 },
    ],
    axes: [
      axis(),
      { ...axis(), scale: 'rows', values: (_, ticks) => ticks.map(count), size: 60 },
      { ...axis(), scale: 's', side: 1, values: (_, ticks) => ticks.map(duration), size: 70 },
    ],
    scales: { rows: { range: fromZero }, s: { range: fromZero } },
  };
}

const fromZero = (_, least, most) => [0, Math.max(most ?? 0, 0.001) * 1.1];
