/** Times that are read at a glance; the exact one is in the tooltip. */
import type { JSX } from 'preact';
import { ago, dateTime, duration, isoMs } from '../model/time.ts';
import { useApp } from '../state/app.ts';

/** How long ago something was. */
export function Ago({
  at,
  none = '–',
}: {
  at: string | number | null | undefined;
  none?: string;
}): JSX.Element {
  const app = useApp();
  const ms = typeof at === 'number' ? at : isoMs(at);
  if (ms === undefined) return <span class="faint">{none}</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={dateTime(ms)}>
      {ago(ms, app.now.value)}
    </time>
  );
}

/** How long something has been going on. */
export function Since({ startMs }: { startMs: number }): JSX.Element {
  const app = useApp();
  return <span>{duration(Math.max(0, Math.round((app.now.value - startMs) / 1000)))}</span>;
}
