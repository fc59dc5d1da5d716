// Texts of numbers and times.

const UNITS = ['', ' k', ' M', ' G', ' T'];

/** 1234567 -> "1.23 M" */
export function count(value) {
  if (value === null || value === undefined) return '–';
  if (Math.abs(value) < 10000) return String(Math.round(value));
  return scaled(value, 1000, UNITS);
}

/** 2048 -> "2.00 KiB" */
export function bytes(value) {
  if (value === null || value === undefined) return '–';
  if (value < 1024) return `${value} B`;
  return scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']);
}

function scaled(value, base, units) {
  let place = 0;
  while (Math.abs(value) >= base && place < units.length - 1) {
    value /= base;
    place += 1;
  }
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0) + units[place];
}

/** 3725 -> "1 h 02 min" */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Milliseconds since 1970 -> "2026-01-02 03:04:05.678" in UTC. */
export function time(milliseconds) {
  if (!milliseconds) return '–';
  return new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '');
}

/** Rows a second. */
export function rate(value) {
  return value === null ? '–' : `${count(value)}/s`;
}

/** 0.123 -> "12 %" */
export function share(value) {
  return value === null ? '–' : `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
}
