/** Keys of minions: who waits to be let in, with the fingerprint to compare before. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Key, KeyState } from '../model/contract.ts';
import { after } from '../model/clock.ts';
import { sameFingerprint } from '../model/fingerprints.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Problem, Stale } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useApp } from '../state/app.ts';
import { useList, useLoaded, useRested } from '../state/loading.ts';
import { useNews } from '../state/news.ts';
import type { ViewProps } from './view-props.ts';

const STATES: readonly KeyState[] = ['pending', 'accepted', 'rejected', 'denied'];
const REST_MS = 250;
const PAGE = '500';
type Change = 'accept' | 'reject' | 'delete';
const CHANGES: readonly { how: Change; name: string; from: readonly KeyState[] }[] = [
  { how: 'accept', name: 'Accept', from: ['pending', 'rejected', 'denied'] },
  { how: 'reject', name: 'Reject', from: ['pending', 'accepted'] },
  { how: 'delete', name: 'Delete', from: ['pending', 'accepted', 'rejected', 'denied'] },
];

/** The view. */
export function KeysView({ query }: ViewProps): JSX.Element {
  const app = useApp();
  const [state, setState] = useState<KeyState>(
    STATES.find((each) => each === query.get('state')) ?? 'pending',
  );
  const [changes, setChanges] = useState(0);
  const news = useNews('keys');
  const counts = useLoaded((signal) => app.server.keys({ limit: '1' }, signal), [changes, news]);
  const masters = useLoaded(() => app.server.masterFingerprint(), []);
  return (
    <div class="view fill">
      <div class="view-head">
        <h1>Keys</h1>
        <span class="spacer" />
        {masters.data === undefined ? null : (
          <span class="master-finger">
            <span class="faint">Master</span> <span class="mono break">{masters.data.fingerprint}</span>
            <CopyButton
              text={() => masters.data?.fingerprint ?? ''}
              label="Copy the fingerprint of the master"
            />
          </span>
        )}
      </div>
      <Tabs
        label="Keys by state"
        open={state}
        onOpen={(key) => setState(key as KeyState)}
        tabs={STATES.map((key) => ({
          key,
          name: `${key} ${counts.data?.counts?.[key]?.toLocaleString('en') ?? ''}`,
        }))}
      >
        <KeyTable
          key={state}
          state={state}
          changes={changes}
          news={news}
          onChanged={() => setChanges((n) => n + 1)}
        />
      </Tabs>
    </div>
  );
}

/**
 * The keys of one state.
 * @param props.changes goes up when they were changed here,
 * @param props.news when they may have been elsewhere
 */
function KeyTable({
  state,
  changes,
  news,
  onChanged,
}: {
  state: KeyState;
  changes: number;
  news: number;
  onChanged: () => void;
}): JSX.Element {
  const app = useApp();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [compared, setCompared] = useState('');
  const [asked, setAsked] = useState<Change | undefined>(undefined);
  const rested = useRested(search.trim(), REST_MS, after);
  const list = useList(
    (cursor, signal) => app.server.keys({ state, search: rested, limit: PAGE, cursor }, signal),
    [state, rested, changes],
    news,
  );
  const offered = CHANGES.filter(({ how, from }) => from.includes(state) && app.session.can(`keys.${how}`));
  const shown =
    compared.trim() === ''
      ? list.items
      : list.items.filter(({ fingerprint }) => sameFingerprint(fingerprint ?? '', compared));
  const choose = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      <div class="fields filters">
        <label class="field">
          <span>Search</span>
          <input
            type="search"
            value={search}
            placeholder="Name"
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <label class="field grow">
          <span>Compare with a fingerprint, as salt-call --local key.finger prints it</span>
          <input
            type="text"
            class="mono"
            spellcheck={false}
            autoComplete="off"
            value={compared}
            onInput={(event) => setCompared(event.currentTarget.value)}
          />
        </label>
      </div>
      {compared.trim() === '' ? null : <Comparison found={shown} looked={list.items.length} />}
      {offered.length === 0 ? null : (
        <div class="row">
          {offered.map(({ how, name }) => (
            <button
              type="button"
              key={how}
              class={how === 'delete' ? 'danger' : ''}
              disabled={chosen.size === 0}
              onClick={() => setAsked(how)}
            >
              {name}…
            </button>
          ))}
          <button
            type="button"
            class="quiet text"
            disabled={shown.length === 0}
            onClick={() => setChosen(new Set(shown.map(({ id }) => id)))}
          >
            Choose all {shown.length.toLocaleString('en')}
          </button>
          <span class="faint" aria-live="polite">
            {chosen.size === 0 ? '' : `${chosen.size.toLocaleString('en')} chosen`}
          </span>
        </div>
      )}
      <Problem error={list.error} onRetry={list.reload} />
      <Stale list={list} />
      <DataGrid
        label={`Keys that are ${state}`}
        items={shown}
        columns={columnsOf(offered.length > 0, chosen, choose)}
        keyOf={({ id }) => id}
        {...(offered.length === 0 ? {} : { onOpen: ({ id }: Key) => choose(id) })}
        onEnd={list.more}
        total={compared === '' ? list.total : undefined}
        isBusy={list.isLoading}
        empty={state === 'pending' ? 'No minion waits for its key to be accepted.' : `No key is ${state}.`}
      />
      {asked === undefined ? null : (
        <ChangeKeys
          how={asked}
          state={state}
          keys={list.items.filter(({ id }) => chosen.has(id))}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            setChosen(new Set());
            onChanged();
          }}
        />
      )}
    </>
  );
}

function columnsOf(
  canChoose: boolean,
  chosen: ReadonlySet<string>,
  choose: (id: string) => void,
): readonly Column<Key>[] {
  const box: Column<Key> = {
    name: 'Choose',
    width: '8ch',
    cell: ({ id }) => (
      <input
        type="checkbox"
        aria-label={`Choose ${id}`}
        checked={chosen.has(id)}
        onChange={() => choose(id)}
      />
    ),
  };
  return [
    ...(canChoose ? [box] : []),
    { name: 'Minion', width: 'minmax(14ch, 1fr)', cell: ({ id }) => id },
    {
      name: 'Fingerprint',
      width: 'minmax(20ch, 3fr)',
      cell: ({ fingerprint }) => <span class="mono">{fingerprint}</span>,
    },
  ];
}

function Comparison({ found, looked }: { found: readonly Key[]; looked: number }): JSX.Element {
  const isFound = found.length > 0;
  return (
    <p role="status" class={isFound ? 'good-text' : 'bad-text'}>
      <Icon name={isFound ? 'check' : 'cross'} />{' '}
      {isFound
        ? `This is the key of ${found
            .slice(0, 5)
            .map(({ id }) => id)
            .join(', ')}.`
        : `None of the ${looked.toLocaleString('en')} keys here has this fingerprint.`}
    </p>
  );
}

function ChangeKeys(props: {
  how: Change;
  state: KeyState;
  keys: readonly Key[];
  onClose: () => void;
  onDone: () => void;
}): JSX.Element {
  const app = useApp();
  const { how, keys, state } = props;
  const [only] = keys;
  const title = `${how === 'accept' ? 'Accept' : how === 'reject' ? 'Reject' : 'Delete'} ${keys.length === 1 ? `the key of ${only?.id ?? ''}` : `${keys.length.toLocaleString('en')} keys`}?`;
  const act = async (): Promise<void> => {
    // the key that was looked at, not another one that has come meanwhile
    const seen = keys.length === 1 ? (only?.fingerprint ?? null) : null;
    const fingerprint = seen === null ? {} : { fingerprint: seen };
    await app.server.changeKeys(how, { ids: keys.map(({ id }) => id), states: [state], ...fingerprint });
    app.notices.done(
      `${keys.length === 1 ? 'The key was' : `${keys.length.toLocaleString('en')} keys were`} ${how === 'delete' ? 'deleted' : `${how}ed`}.`,
    );
    props.onDone();
  };
  return (
    <Confirm
      title={title}
      action={how === 'accept' ? 'Accept' : how === 'reject' ? 'Reject' : 'Delete'}
      isDangerous={how !== 'accept'}
      onDo={act}
      onClose={props.onClose}
    >
      <p>
        {how === 'accept'
          ? 'Whoever holds this key gets the jobs, files and pillar of this minion. Compare the fingerprint with the one that the machine itself shows.'
          : how === 'reject'
            ? 'The minion is turned away until its key is accepted or deleted.'
            : 'The master forgets the key. A minion that still runs shows up again as pending.'}
      </p>
      <ul class="plain">
        {keys.slice(0, 8).map(({ id, fingerprint }) => (
          <li key={id}>
            <strong>{id}</strong> <span class="mono break">{fingerprint}</span>
          </li>
        ))}
        {keys.length > 8 ? <li class="faint">and {(keys.length - 8).toLocaleString('en')} more</li> : null}
      </ul>
    </Confirm>
  );
}
