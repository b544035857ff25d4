/** One minion: what it is, what it is told, what it has done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MinionDetail } from '../model/contract.ts';
import { ApiError } from '../api/http.ts';
import type { MinionPart } from '../api/server.ts';
import { isMapping } from '../model/json.ts';
import { linkTo } from '../model/route.ts';
import { versionNote, versionOf } from '../model/versions.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Problem } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';
import { useNews } from '../state/news.ts';
import { JobTable } from './jobs.tsx';
import { Connected } from './minions.tsx';
import { ScheduleTab } from './schedule.tsx';
import type { ViewProps } from './view-props.ts';

interface PartTab {
  readonly key: string;
  readonly name: string;
  /** The operation that one must be allowed; undefined for what everybody sees. */
  readonly needs: string | undefined;
  readonly show: (id: string) => JSX.Element;
}

/** @param isAsked the minion itself is asked, and not the master's memory of it */
function valueTab(part: MinionPart, name: string, { isAsked }: { isAsked: boolean }): PartTab {
  const show = (id: string): JSX.Element => (
    <Part key={part} id={id} part={part} name={name} isAsked={isAsked} />
  );
  return { key: part, name, needs: `minions.${part}`, show };
}

const PARTS: readonly PartTab[] = [
  valueTab('grains', 'Grains', { isAsked: false }),
  valueTab('pillar', 'Pillar', { isAsked: false }),
  {
    ...{ key: 'schedule', name: 'Schedule', needs: 'minions.schedule' },
    show: (id) => <ScheduleTab key={id} id={id} />,
  },
  valueTab('beacons', 'Beacons', { isAsked: true }),
  valueTab('mine', 'Mine', { isAsked: false }),
  {
    ...{ key: 'jobs', name: 'Jobs', needs: undefined },
    show: (id) => <JobTable label={`Jobs of ${id}`} query={{ minion: id }} />,
  },
];

/** The view. */
export function MinionView({ id = '', query }: ViewProps): JSX.Element {
  const app = useApp();
  const { data, error, reload } = useLoaded(() => app.server.minion(id), [id, useNews('minions')]);
  // whose key is gone can be asked nothing more; what it has done is still told
  const isThere = !(error instanceof ApiError && error.code === 'not-found');
  const parts = PARTS.filter(({ needs }) => needs === undefined || (isThere && app.session.can(needs)));
  const [chosen, setTab] = useState(query.get('tab') ?? '');
  const tab = parts.some(({ key }) => key === chosen) ? chosen : (parts[0]?.key ?? 'jobs');
  return (
    <div class="view fill">
      <div class="view-head">
        <h1 class="break">{id}</h1>
        {data === undefined || !isThere ? null : <Connected isConnected={data.connected} />}
        <span class="spacer" />
        {isThere && app.session.can('jobs.start') ? (
          <a class="button" href={linkTo('run', undefined, { tgt: id, tgt_type: 'list' })}>
            Run on it
          </a>
        ) : null}
      </div>
      <Problem error={error} onRetry={reload} />
      {data === undefined ? null : <Facts minion={data} />}
      <Tabs
        label="Parts of the minion"
        open={tab}
        onOpen={setTab}
        tabs={parts.map(({ key, name }) => ({ key, name }))}
      >
        {parts.find(({ key }) => key === tab)?.show(id)}
      </Tabs>
    </div>
  );
}

function Facts({ minion }: { minion: MinionDetail }): JSX.Element {
  const rows: readonly (readonly [string, JSX.Element | string])[] = [
    ['System', [minion.os, minion.osrelease].filter((each) => each !== null).join(' ') || '–'],
    ['Kernel', minion.kernel ?? '–'],
    ['Address', minion.ip ?? '–'],
    ['Version', <Version key="version" minion={minion} />],
    ['Key', minion.key],
    ['Last seen', <Ago key="at" at={minion.last_seen} />],
  ];
  return (
    <dl class="fact-list">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div class="fact-wide">
        <dt>Fingerprint</dt>
        <dd>
          <span class="mono break">{minion.fingerprint ?? '–'}</span>
          {minion.fingerprint === null ? null : (
            <CopyButton text={() => minion.fingerprint ?? ''} label="Copy the fingerprint" />
          )}
        </dd>
      </div>
    </dl>
  );
}

function Version({ minion }: { minion: MinionDetail }): JSX.Element {
  const note = versionNote(minion);
  return (
    <>
      {versionOf(minion) || '–'}
      {note === undefined ? null : <span class="faint"> {note}</span>}
    </>
  );
}

function Part({
  id,
  part,
  name,
  isAsked,
}: {
  id: string;
  part: MinionPart;
  name: string;
  isAsked: boolean;
}): JSX.Element {
  const app = useApp();
  const { data, error, isLoading, reload } = useLoaded(() => app.server.minionPart(id, part), [id, part]);
  const [search, setSearch] = useState('');
  const shown = part === 'grains' || part === 'pillar' ? filtered(data?.data, search) : data?.data;
  return (
    <div class="minion-part">
      <div class="row">
        {part === 'grains' || part === 'pillar' ? (
          <input
            type="search"
            class="grow"
            aria-label={`Search in ${name}`}
            placeholder={`Search in ${name.toLowerCase()}`}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        ) : null}
        {data?.at === undefined || data.at === null ? null : (
          <span class="faint">
            as the master remembers it, <Ago at={data.at} />
          </span>
        )}
        <button type="button" onClick={reload}>
          Load again
        </button>
      </div>
      {data?.masked !== undefined && data.masked.length > 0 ? (
        <p class="faint">
          {data.masked.length === 1
            ? 'One value sounds secret and is'
            : `${data.masked.length} values sound secret and are`}{' '}
          shown as ***.
        </p>
      ) : null}
      <Problem error={error} onRetry={reload} />
      {isLoading && data === undefined ? (
        <p class="faint">{isAsked ? 'Asking the minion…' : 'Loading…'}</p>
      ) : null}
      {data === undefined ? null : <ValueView value={shown} label={name.toLowerCase()} />}
    </div>
  );
}

/** Entries whose name or value holds the words. */
function filtered(data: unknown, search: string): unknown {
  const wanted = search.trim().toLowerCase();
  if (wanted === '' || !isMapping(data)) return data;
  return Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) =>
        key.toLowerCase().includes(wanted) || (JSON.stringify(value) ?? '').toLowerCase().includes(wanted),
    ),
  );
}
