// The page: it follows the address and the stream of events, and draws the view that is asked for.

import { html, render, useEffect, useState } from '../vendor/htm-preact.js';
import { JobsList } from './jobs_list.js';
import { JobView, TABS } from './job_view.js';
import { applied, empty } from './model.js';
import { asked, FIRST } from './result.js';

/** The address behind `#`: the job and the tab that it names. */
function route() {
  const [, id, tab] = /^#\/jobs\/([^/]+)(?:\/(\w+))?$/.exec(location.hash) ?? [];
  return { id: id ?? null, tab: TABS.includes(tab) ? tab : TABS[0] };
}

/** Follow the events about a job and the rows that are wanted of it, or about the list. Returns the state and whether the server answers. */
function useLive(id, rows) {
  const [state, setState] = useState(empty(id));
  const [isLive, setLive] = useState(true);
  useEffect(() => {
    setState((known) => (known.watched === id ? known : { ...empty(id), jobs: known.jobs }));
    const query = new URLSearchParams({ ...(id !== null && { job: id }), ...(rows !== null && { rows }) });
    const source = new EventSource(`/api/v1/events?${query}`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    for (const name of ['jobs', 'changes', 'job', 'batches', 'rows']) {
      source.addEventListener(name, (event) => {
        const data = JSON.parse(event.data);
        setState((known) => (known.watched === id ? applied(known, name, data, performance.now()) : known));
      });
    }
    return () => source.close();
  }, [id, rows]);
  return [state, isLive];
}

function Page() {
  const [at, setAt] = useState(route());
  useEffect(() => {
    const follow = () => setAt(route());
    addEventListener('hashchange', follow);
    addEventListener('keydown', onKey);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const [wanted, want] = useState(FIRST);
  useEffect(() => want(FIRST), [at.id]);
  const [state, isLive] = useLive(at.id, at.id !== null && at.tab === 'result' ? asked(wanted) : null);
  const view = at.id === null || state.watched !== at.id ? html`<${JobsList} state=${state} />` : html`<${JobView} ...${{ state, tab: at.tab, wanted, want }} />`;
  return html`<header class="top"><h1><a href="#/">Firesteel</a></h1>
      <span class=${isLive ? 'live' : 'live lost'} role="status">${isLive ? 'live' : 'no answer: the command has ended?'}</span>
      <button onClick=${switchTheme} aria-label="Switch between light and dark">◐</button></header>${view}`;
}

function onKey(event) {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping && document.getElementById('filter')) {
    event.preventDefault();
    document.getElementById('filter').focus();
  }
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
}

render(html`<${Page} />`, document.getElementById('page'));
