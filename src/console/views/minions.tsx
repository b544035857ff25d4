/** All minions: searched by a few letters, or by any target that Salt's command line takes. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Minion } from '../model/contract.ts';
import { ApiError } from '../api/http.ts';
import { after } from '../model/clock.ts';
import { linkTo } from '../model/route.ts';
import { sentTarget, targetKind, type TypedTarget } from '../model/targets.ts';
import { versionNote, versionOf } from '../model/versions.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Problem, Stale } from '../parts/problem.tsx';
import { TargetBox } from '../parts/target-box.tsx';
import { Ago } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { useList, useRested, type LoadedList } from '../state/loading.ts';
import { useNews } from '../state/news.ts';
import type { ViewProps } from './view-props.ts';

const REST_MS = 250;
const PAGE = '500';
/** What searches by words instead of a target. */
const WORDS = 'words';
/** Minions that are run on by name. */
const NAMED_MAX = 500;

const COLUMNS: readonly Column<Minion>[] = [
  {
    name: 'Minion',
    width: 'minmax(16ch, 2fr)',
    sort: 'id',
    cell: ({ id }) => <a href={linkTo('minions', id)}>{id}</a>,
  },
  { name: 'Link', width: '14ch', cell: ({ connected }) => <Connected isConnected={connected} /> },
  {
    name: 'OS',
    width: 'minmax(8ch, 1fr)',
    wideOnly: true,
    sort: 'os',
    cell: ({ os, osrelease }) => `${os ?? ''} ${osrelease ?? ''}`,
  },
  {
    name: 'Address',
    width: 'minmax(10ch, 1fr)',
    wideOnly: true,
    cell: ({ ip }) => <span class="mono">{ip ?? ''}</span>,
  },
  {
    name: 'Version',
    width: '14ch',
    wideOnly: true,
    sort: 'version',
    cell: (minion) => <span title={versionNote(minion)}>{versionOf(minion)}</span>,
  },
  {
    name: 'Last seen',
    width: '14ch',
    wideOnly: true,
    sort: 'last_seen',
    cell: ({ last_seen: at }) => <Ago at={at} />,
  },
];

/** Whether a minion is connected, as a word with a sign. */
export function Connected({ isConnected }: { isConnected: boolean }): JSX.Element {
  return (
    <span class={`link-state ${isConnected ? 'up' : 'down'}`}>
      <span class="dot" aria-hidden="true" />
      {isConnected ? 'connected' : 'away'}
    </span>
  );
}

/** The view. */
export function MinionsView({ query }: ViewProps): JSX.Element {
  const app = useApp();
  const [target, setTarget] = useState<TypedTarget>({
    text: query.get('tgt') ?? '',
    kind: targetKind(query.get('tgt_type')),
  });
  const [mode, setMode] = useState<string>(query.has('tgt') ? 'target' : WORDS);
  const [words, setWords] = useState(query.get('search') ?? '');
  const [link, setLink] = useState(query.get('connected') ?? '');
  const [sorted, setSorted] = useState({ by: 'id', desc: false });
  const rested = useRested({ target, mode, words }, REST_MS, after);
  const { tgt, tgt_type: kind } = sentTarget(rested.target);
  const isTargeted = rested.mode !== WORDS && rested.target.text.trim() !== '';
  const fields = {
    ...(isTargeted ? { tgt: Array.isArray(tgt) ? tgt.join(',') : String(tgt), tgt_type: kind } : {}),
    search: rested.mode === WORDS ? rested.words.trim() : '',
    connected: link,
    sort: sorted.by,
    desc: sorted.desc ? 'true' : '',
    key: 'accepted',
  };
  const list = useList(
    (cursor, signal) => app.server.minions({ ...fields, limit: PAGE, cursor }, signal),
    [JSON.stringify(fields)],
    useNews('minions'),
  );
  const wrong =
    list.error instanceof ApiError && list.error.code === 'bad-target' ? list.error.message : undefined;
  const count = list.total ?? list.items.length;
  const isNarrowed = (rested.mode === WORDS && rested.words.trim() !== '') || link !== '';
  const runOn = runTarget(list, isNarrowed, isTargeted ? { ...rested.target, kind } : undefined);
  return (
    <div class="view fill">
      <div class="view-head">
        <h1>Minions</h1>
        <span class="badge" aria-live="polite">
          {list.isLoading && list.items.length === 0
            ? '…'
            : `${count.toLocaleString('en')}${list.total === undefined && !list.isComplete ? '+' : ''}`}
        </span>
        <span class="spacer" />
        {app.session.can('jobs.start') && runOn !== undefined ? (
          <a class="button" href={linkTo('run', undefined, runOn)}>
            Run on these
          </a>
        ) : null}
      </div>
      <div class="filters row">
        <div class="switch" role="group" aria-label="Search by">
          <button type="button" aria-pressed={mode === WORDS} onClick={() => setMode(WORDS)}>
            Words
          </button>
          <button type="button" aria-pressed={mode !== WORDS} onClick={() => setMode('target')}>
            Target
          </button>
        </div>
        {mode === WORDS ? (
          <input
            type="search"
            class="grow"
            aria-label="Search in names, systems, versions and addresses"
            placeholder="Name, system, version or address"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        ) : (
          <TargetBox target={target} onChange={setTarget} problem={wrong} />
        )}
        <label class="field inline">
          <span class="hidden">Link</span>
          <select value={link} onChange={(event) => setLink(event.currentTarget.value)}>
            <option value="">all</option>
            <option value="true">connected</option>
            <option value="false">away</option>
          </select>
        </label>
      </div>
      <Problem error={list.error} onRetry={list.reload} />
      <Stale list={list} />
      <DataGrid
        label="Minions"
        items={list.items}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={({ id }) => app.places.go(linkTo('minions', id))}
        onEnd={list.more}
        total={list.total}
        isBusy={list.isLoading}
        sorted={sorted}
        onSort={(by) => setSorted((before) => ({ by, desc: before.by === by && !before.desc }))}
        empty={wrong === undefined ? 'No minion matches.' : 'The target cannot be read.'}
      />
    </div>
  );
}

/**
 * The target of all that the list shows: by name where words or the link have narrowed it, which no target can say;
 * undefined where that are too many or none.
 */
function runTarget(
  { items, isComplete }: LoadedList<Minion>,
  isNarrowed: boolean,
  target: TypedTarget | undefined,
): Record<string, string> | undefined {
  if (!isNarrowed) return target === undefined ? { tgt: '*' } : { tgt: target.text, tgt_type: target.kind };
  if (!isComplete || items.length === 0 || items.length > NAMED_MAX) return undefined;
  return { tgt: items.map(({ id }) => id).join(','), tgt_type: 'list' };
}
