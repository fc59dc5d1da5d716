// The plan beside the SQL. Physical nodes do not know their place in the text, so the whole statement is marked.

import { html } from '../vendor/htm-preact.js';

/** Lines of a plan, each with the text of its node without the marks of the tree. */
export function planLines(plan) {
  return plan.split('\n').map((text) => ({ text, node: text.replace(/^[ :+|-]*/, '') }));
}

export function Plan({ job, plan, chosen, choose }) {
  return html`<div class="beside">
    <section aria-labelledby="sql"><h3 id="sql">SQL${job.script ? ` (${job.script}, line ${job.line})` : ''}</h3>
      <pre class=${chosen ? 'marked' : ''} tabindex="0">${job.statement}</pre></section>
    <section aria-labelledby="plan"><h3 id="plan">Plan</h3>
      <pre tabindex="0" onMouseLeave=${() => choose(null)}>${planLines(plan).map((line) => html`<span
        class=${line.node && line.node === chosen ? 'line chosen' : 'line'}
        onMouseEnter=${() => choose(line.text.includes('(') ? line.node : null)}>${line.text}${'\n'}</span>`)}</pre></section>
  </div>`;
}
