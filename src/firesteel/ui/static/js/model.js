// What the page knows of the jobs: a state, and the function that applies an event to it. Pure.

export const MOST_BATCHES = 1000;
export const MOST_SAMPLES = 12;

export function empty(watched = null) {
  return { watched, jobs: new Map(), job: null, batches: [], samples: [], rows: null, missing: false };
}

/** Return the state after an event. `now` is in milliseconds. */
export function applied(state, name, data, now) {
  if (name === 'jobs') return { ...state, jobs: new Map(data.jobs.map((job) => [job.id, job])) };
  if (name === 'changes') {
    const jobs = new Map(state.jobs);
    for (const job of data.jobs) jobs.set(job.id, job);
    for (const id of data.gone) jobs.delete(id);
    return { ...state, jobs };
  }
  if (data.id !== state.watched) return state;
  if (name === 'job') {
    if (data.error) return { ...state, missing: true };
    const known = isSameRun(state.job, data) ? state : { ...empty(state.watched), jobs: state.jobs };
    const samples = [...known.samples, { now, chains: data.chains }].slice(-MOST_SAMPLES);
    return { ...known, job: data, samples, missing: false };
  }
  if (name === 'rows') return { ...state, rows: data };
  if (name === 'batches') return { ...state, batches: merged(state.batches, data.batches) };
  return state;
}

/** Whether two states of a job are of one run. The next command on the same port has jobs with the same ids. */
const isSameRun = (before, now) => before === null || before.created === now.created;

function merged(known, news) {
  const seen = new Set(known.map(key));
  return [...known, ...news.filter((batch) => !seen.has(key(batch)))].slice(-MOST_BATCHES);
}

const key = (batch) => `${batch.batch} ${batch.ended}`;

/** Return the rates of each step, by "chain/step": rows a second, and busy seconds a second. */
export function rates(samples) {
  const found = new Map();
  if (samples.length < 2) return found;
  const [first, last] = [samples[0], samples[samples.length - 1]];
  const seconds = Math.max((last.now - first.now) / 1000, 0.001);
  const before = new Map(first.chains.map((chain) => [chain.chain, chain.steps]));
  for (const chain of last.chains) {
    chain.steps.forEach((step, place) => {
      const old = before.get(chain.chain)?.[place];
      if (!old) return;
      found.set(`${chain.chain}/${place}`, {
        rows: Math.max(0, step.records_out - old.records_out) / seconds,
        busy: Math.max(0, step.busy_seconds - old.busy_seconds) / seconds,
      });
    });
  }
  return found;
}

/** Seconds for which a job has run. A job in a checkpoint has run until its file was written. */
export function seconds(job) {
  if (job.saved === null) return null;
  const until = job.ended ?? job.saved;
  return ((until ? Date.parse(until) : Date.now()) - Date.parse(job.created)) / 1000;
}

/** A step's name without the path of the default database. */
export const operatorName = (name) => name.replace('default_catalog.default_database.', '');

/** Jobs, newest first, whose id, name, state or statement has the text. */
export function filtered(jobs, text) {
  const wanted = text.trim().toLowerCase();
  return [...jobs]
    .reverse()
    .filter((job) => [job.id, job.label, job.state, job.statement].some((part) => part.toLowerCase().includes(wanted)));
}

/** Entries and bytes of the states whose names begin with an operator's. */
export function stateOf(states, name) {
  if (!name) return null;
  const own = states.filter((s) => s.state === name || s.state.startsWith(`${name}.`) || s.state.startsWith(`${name}/`));
  if (!own.length) return null;
  return { entries: sum(own, 'entries'), bytes: sum(own, 'bytes') };
}

export const sum = (items, field) => items.reduce((total, item) => total + (item[field] ?? 0), 0);
