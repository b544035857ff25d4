/** States: applying them with a test first, their history, and what has drifted. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Drift } from '../model/contract.ts';
import { questionOf } from '../model/questions.ts';
import { linkTo } from '../model/route.ts';
import { namesOne, sentTarget, type TypedTarget } from '../model/targets.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf, Problem, Stale } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Reach, TargetBox, usePreview } from '../parts/target-box.tsx';
import { Ago } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { useList, useLoaded } from '../state/loading.ts';
import { useNews } from '../state/news.ts';
import { JobTable } from './jobs.tsx';
import type { ViewProps } from './view-props.ts';

const PAGE = '500';
const DAY_MS = 86_400_000;

/** The view. */
export function StatesView({ query }: ViewProps): JSX.Element {
  const app = useApp();
  const canApply = app.session.can('jobs.start');
  const canDrift = app.session.can('states.drift');
  const tabs = [
    ...(canApply ? [{ key: 'apply', name: 'Apply' }] : []),
    ...(canDrift ? [{ key: 'drift', name: 'Drift' }] : []),
    { key: 'history', name: 'History' },
  ];
  const [tab, setTab] = useState(query.get('tab') ?? tabs[0]?.key ?? 'history');
  return (
    <div class="view fill">
      <h1>States</h1>
      <Tabs label="Parts of states" tabs={tabs} open={tab} onOpen={setTab}>
        {tab === 'apply' ? <Apply /> : null}
        {tab === 'drift' ? <DriftTable /> : null}
        {tab === 'history' ? (
          <JobTable label="State runs, the newest first" query={{ fun: 'state.*' }} />
        ) : null}
      </Tabs>
    </div>
  );
}

/** Without a test before it, a run asks once more. */
function Apply(): JSX.Element {
  const app = useApp();
  const base = useId();
  const [target, setTarget] = useState<TypedTarget>({ text: '', kind: 'glob' });
  const [sls, setSls] = useState('');
  const [isAsked, setAsked] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const preview = usePreview(target, 'state.apply');
  const files = useLoaded(
    app.session.can('states.files') ? () => app.server.stateFiles({ env: 'base', limit: '1000' }) : undefined,
    [],
  );
  const names = [
    ...new Set((files.data?.items ?? []).flatMap(({ sls: name }) => (name === null ? [] : [name]))),
  ];
  const mods = sls.trim();
  const isReady = target.text.trim() !== '' && !isBusy;
  const question = questionOf({
    kind: 'local',
    fun: 'state.apply',
    args: mods === '' ? '(the highstate)' : mods,
    isTest: false,
    target: target.text,
    isNamed: namesOne(target),
    count: preview.count,
  });
  const send = async (isTest: boolean): Promise<void> => {
    const started = await app.server.start({
      ...sentTarget(target),
      fun: 'state.apply',
      arg: mods === '' ? [] : [mods],
      ...(isTest ? { test: true } : {}),
    });
    if (started.jid !== null) app.places.go(linkTo('jobs', started.jid));
  };
  const test = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    await send(true).catch((error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
  };
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void test();
      }}
    >
      <TargetBox target={target} onChange={setTarget} />
      <Reach preview={preview} target={target} />
      <label class="field">
        <span>SLS, or nothing for the highstate</span>
        <input
          type="text"
          class="mono"
          list={`${base}-sls`}
          autoComplete="off"
          spellcheck={false}
          placeholder="web.nginx,web.tls"
          value={sls}
          onInput={(event) => setSls(event.currentTarget.value)}
        />
      </label>
      <datalist id={`${base}-sls`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={!isReady}>
          Test: say what would change
        </button>
        <button type="button" disabled={!isReady} onClick={() => setAsked(true)}>
          Apply…
        </button>
      </div>
      {isAsked && question !== undefined ? (
        <Confirm
          title={question.title}
          action={question.action}
          isDangerous={question.isDangerous}
          isWaiting={preview.isPending}
          onClose={() => setAsked(false)}
          onDo={() => send(false)}
        >
          <p class="break">{question.text}</p>
          <Reach preview={preview} target={target} />
        </Confirm>
      ) : null}
    </form>
  );
}

const DRIFT_COLUMNS: readonly Column<Drift>[] = [
  {
    name: 'Minion',
    width: 'minmax(14ch, 1.2fr)',
    cell: ({ minion }) => <a href={linkTo('minions', minion)}>{minion}</a>,
  },
  {
    name: 'Tested',
    width: '14ch',
    cell: ({ time, jid }) => (
      <a href={linkTo('jobs', jid)}>
        <Ago at={time} />
      </a>
    ),
  },
  {
    name: 'Would change',
    width: '14ch',
    align: 'end',
    cell: ({ changes, total }) => (
      <span class={changes > 0 ? 'warn-text' : 'faint'}>
        {changes} of {total}
      </span>
    ),
  },
  {
    name: 'Failed',
    width: '8ch',
    align: 'end',
    cell: ({ failed }) => <span class={failed > 0 ? 'bad-text' : 'faint'}>{failed}</span>,
  },
  {
    name: 'States',
    width: 'minmax(12ch, 2fr)',
    wideOnly: true,
    cell: ({ states }) => <span class="faint">{states.join(', ')}</span>,
  },
];

function DriftTable(): JSX.Element {
  const app = useApp();
  const [isAll, setAll] = useState(false);
  const since = new Date(app.now.peek() - 7 * DAY_MS).toISOString().slice(0, 10);
  const list = useList(
    (cursor) => app.server.drift({ since: `${since}T00:00:00Z`, limit: PAGE, cursor }),
    [since],
    useNews('jobs'),
  );
  const newest = new Map<string, Drift>();
  for (const each of list.items) if (!newest.has(each.minion)) newest.set(each.minion, each);
  const drifted = [...newest.values()].filter(({ changes, failed }) => isAll || changes > 0 || failed > 0);
  drifted.sort((a, b) => b.failed - a.failed || b.changes - a.changes);
  return (
    <>
      <div class="row">
        <p>
          <strong>
            {[...newest.values()]
              .filter(({ changes, failed }) => changes > 0 || failed > 0)
              .length.toLocaleString('en')}
          </strong>{' '}
          of {newest.size.toLocaleString('en')} minions with a test run of the last seven days have drifted.
        </p>
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />{' '}
          also those that have not
        </label>
      </div>
      <Problem error={list.error} onRetry={list.reload} />
      <Stale list={list} />
      <DataGrid
        label="Drift by minion"
        items={drifted}
        columns={DRIFT_COLUMNS}
        keyOf={({ minion }) => minion}
        onOpen={({ jid }) => app.places.go(linkTo('jobs', jid))}
        onEnd={list.more}
        isBusy={list.isLoading}
        empty={
          newest.size === 0
            ? 'No test runs are known. Have minions run state.apply test=True by their schedule, and what would change is shown here.'
            : 'Nothing has drifted.'
        }
      />
    </>
  );
}
