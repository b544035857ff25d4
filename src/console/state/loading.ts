/** Data that a view loads: one answer, or a long list page by page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../model/contract.ts';
import { useApp } from './app.ts';

/** What is known of an answer. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads something when the view opens, when `keys` change, and when the API or the master has come back. Old data stay
 * until there are new ones.
 * @param load undefined when there is nothing to be asked
 */
export function useLoaded<T>(
  load: ((signal: AbortSignal) => Promise<T>) | undefined,
  keys: readonly unknown[],
): Loaded<T> {
  const app = useApp();
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [nth, setNth] = useState(0);
  const returns = app.link.returns.value;
  const logins = app.session.logins.value;
  useEffect(() => {
    if (load === undefined) return setState({ data: undefined, error: undefined, isLoading: false });
    const gone = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(gone.signal).then(
      (data) => {
        if (!gone.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!gone.signal.aborted)
          setState((before) => ({ data: before.data, error: error as Error, isLoading: false }));
      },
    );
    return () => gone.abort();
  }, [...keys, nth, returns, logins]);
  return { ...state, reload: () => setNth((n) => n + 1) };
}

/** A long list as far as it was loaded. */
export interface LoadedList<T> {
  readonly items: readonly T[];
  readonly total: number | undefined;
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly error: Error | undefined;
  /** Loads the next page, unless one is coming. */
  readonly more: () => void;
  readonly reload: () => void;
  /** Something has changed, and too much of the list is loaded to load all of it again unasked. */
  readonly isStale: boolean;
}

/** Rows that are kept of a list; who wants to see more filters. */
const ROWS_MAX = 200_000;

/** Rows that are loaded again unasked when something has changed. */
const REFRESHED_MAX = 2000;

interface ListState<T> {
  readonly items: readonly T[];
  readonly total: number | undefined;
  readonly next: string | null | undefined;
}

/**
 * Loads a list page by page.
 * @param keys what the list depends on
 * @param news goes up when the list may have changed: what is loaded of it is loaded again, and stays in the page
 *   meanwhile
 */
export function useList<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  keys: readonly unknown[],
  news = 0,
): LoadedList<T> {
  const app = useApp();
  const [list, setList] = useState<ListState<T>>({ items: [], total: undefined, next: undefined });
  const [isStale, setStale] = useState(false);
  const [isLoading, setIsLoading] = useState(true);
  const [error, setError] = useState<Error | undefined>(undefined);
  const [nth, setNth] = useState(0);
  const gone = useRef(new AbortController());
  const isBusy = useRef(false);
  // one look again at a time; news that come meanwhile bring another one when it has ended
  const seenNews = useRef(0);
  const isLookingAgain = useRef(false);
  const [looks, setLooks] = useState(0);
  const returns = app.link.returns.value;
  const logins = app.session.logins.value;
  const fetchPage = (cursor: string | undefined, before: readonly T[]): void => {
    const { signal } = gone.current;
    isBusy.current = true;
    setIsLoading(true);
    const settle = (change: () => void): void => {
      if (signal.aborted) return;
      isBusy.current = false;
      setIsLoading(false);
      change();
    };
    load(cursor, signal).then(
      (page) =>
        settle(() => {
          const items = [...before, ...page.items];
          setError(undefined);
          setList({ items, total: page.total, next: items.length >= ROWS_MAX ? null : page.next });
        }),
      (failure: unknown) => settle(() => setError(failure as Error)),
    );
  };
  useEffect(() => {
    gone.current = new AbortController();
    isLookingAgain.current = false;
    seenNews.current = news;
    setStale(false);
    fetchPage(undefined, []);
    return () => gone.current.abort();
  }, [...keys, nth, returns, logins]);
  useEffect(() => {
    if (news === seenNews.current || isBusy.current || isLookingAgain.current) return;
    seenNews.current = news;
    if (list.items.length > REFRESHED_MAX) return setStale(true);
    const { signal } = gone.current;
    isLookingAgain.current = true;
    const ended = (again?: ListState<T>): void => {
      if (signal.aborted) return;
      isLookingAgain.current = false;
      // rows that came meanwhile are not thrown away
      if (again !== undefined) setList((now) => (now.items === list.items ? again : now));
      setLooks((n) => n + 1);
    };
    // what is away is told by whoever asked for it; the rows stay
    loadedAgain(load, list, signal).then(ended, () => ended());
  }, [news, isLoading, looks]);
  return {
    items: list.items,
    total: list.total,
    isComplete: list.next === null,
    isLoading,
    error,
    more: () => {
      if (!isBusy.current && typeof list.next === 'string') fetchPage(list.next, list.items);
    },
    reload: () => setNth((n) => n + 1),
    isStale,
  };
}

/** As many rows as were there, as they are now. */
async function loadedAgain<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  { items: before }: ListState<T>,
  signal: AbortSignal,
): Promise<ListState<T>> {
  const items: T[] = [];
  let page: Page<T>;
  let cursor: string | undefined;
  do {
    page = await load(cursor, signal);
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < before.length);
  return { items, total: page.total, next: page.next };
}

/** A value that follows another one once that has rested for a while, so that not every letter asks the API. */
export function useRested<T>(value: T, ms: number, wait: (ms: number, call: () => void) => () => void): T {
  const [rested, setRested] = useState(value);
  useEffect(() => wait(ms, () => setRested(() => value)), [value]);
  return rested;
}
