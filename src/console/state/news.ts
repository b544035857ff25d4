/** When a list that was loaded is out of date: the bus has told of something that it shows, or a while has passed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { after, every } from '../model/clock.ts';
import { useApp, type App } from './app.ts';

/** News that come at once are one. */
const GATHER_MS = 800;
/**
 * Who may not listen to the bus asks so often, and whoever may still does: a lost connection is no event on most
 * masters.
 */
const LOOK_MS = 15_000;

/** What the news are about. */
export type Subject = 'jobs' | 'minions' | 'keys' | 'orchestrations';

/** What tells that something is new: as long as it is the same, nothing is. */
const KEYS: Readonly<Record<Subject, (app: App) => string>> = {
  jobs: ({ feed }) => {
    const jobs = feed.jobs.value;
    const ended = jobs.filter(({ isDone }) => isDone);
    // a minion may return after its job has ended without it
    const heard = ended.reduce((latest, { lastMs }) => Math.max(latest, lastMs), 0);
    return `${jobs[0]?.jid ?? ''} ${ended.length} ${heard}`;
  },
  minions: ({ feed }) => {
    const [last] = feed.movements.value;
    return `${last?.minion ?? ''} ${last?.timeMs ?? ''} ${lastEvent(feed.events.value, /^salt\/key/)}`;
  },
  keys: ({ feed }) => lastEvent(feed.events.value, /^salt\/(auth$|key)/),
  orchestrations: ({ feed }) => lastEvent(feed.events.value, /^salt\/run\//),
};

type Heard = readonly { readonly nth: number; readonly tag: string }[];

function lastEvent(events: Heard, tags: RegExp): string {
  return String(events.findLast(({ tag }) => tags.test(tag))?.nth ?? '');
}

/** A number that goes up when there are news about a subject, and from time to time while the page is looked at. */
export function useNews(subject: Subject): number {
  return useKey(KEYS[subject](useApp()), true);
}

/** The same for what comes of one job; who hears of it from the bus does not ask from time to time. */
export function useJobNews(jid: string): number {
  const { feed } = useApp();
  const last = feed.events.value.findLast(({ tag }) => tag.startsWith(`salt/job/${jid}/`));
  return useKey(String(last?.nth ?? ''), feed.state.value !== 'live');
}

/** @param looks whether it goes up from time to time, too */
function useKey(heard: string, looks: boolean): number {
  const key = `${heard} ${useApp().feed.gaps.value}`;
  const [nth, setNth] = useState(0);
  const seen = useRef(key);
  const waiting = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    if (seen.current === key) return;
    seen.current = key;
    waiting.current ??= after(GATHER_MS, () => {
      waiting.current = undefined;
      setNth((n) => n + 1);
    });
  }, [key]);
  useEffect(() => () => waiting.current?.(), []);
  useEffect(() => {
    if (!looks) return;
    return every(LOOK_MS, () => {
      if (document.visibilityState === 'visible') setNth((n) => n + 1);
    });
  }, [looks]);
  return nth;
}
