/** Runs of orchestrations. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Orchestration } from '../model/contract.ts';
import { linkTo } from '../model/route.ts';
import { readValue } from '../model/words.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { messageOf, Problem, Stale } from '../parts/problem.tsx';
import { StepState } from '../parts/step-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { useList } from '../state/loading.ts';
import { useNews } from '../state/news.ts';

const PAGE = '200';
const COLUMNS: readonly Column<Orchestration>[] = [
  { name: 'Started', width: '12ch', cell: ({ started }) => <Ago at={started} /> },
  {
    name: 'SLS',
    width: 'minmax(14ch, 2fr)',
    cell: ({ mods, jid }) => (
      <a class="mono" href={linkTo('orchestrations', jid)}>
        {mods}
      </a>
    ),
  },
  { name: 'State', width: '14ch', cell: ({ state }) => <StepState state={state} /> },
  { name: 'Steps', width: '8ch', align: 'end', wideOnly: true, cell: ({ steps }) => steps },
  {
    name: 'Failed',
    width: '8ch',
    align: 'end',
    wideOnly: true,
    cell: ({ failed }) => <span class={failed > 0 ? 'bad-text' : 'faint'}>{failed}</span>,
  },
];

/** The view. */
export function OrchestrationsView(): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const list = useList(
    (cursor) => app.server.orchestrations({ limit: PAGE, cursor }),
    [],
    useNews('orchestrations'),
  );
  return (
    <div class="view fill">
      <div class="view-head">
        <h1>Orchestrations</h1>
        <span class="spacer" />
        {app.session.can('orchestrations.start') ? (
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Run one…
          </button>
        ) : null}
      </div>
      <Problem error={list.error} onRetry={list.reload} />
      <Stale list={list} />
      <DataGrid
        label="Orchestrations, the newest first"
        items={list.items}
        columns={COLUMNS}
        keyOf={({ jid }) => jid}
        onOpen={({ jid }) => app.places.go(linkTo('orchestrations', jid))}
        onEnd={list.more}
        isBusy={list.isLoading}
        empty="No orchestration has run yet."
      />
      {isOpen ? <Start onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

function Start({ onClose }: { onClose: () => void }): JSX.Element {
  const app = useApp();
  const [mods, setMods] = useState('');
  const [pillar, setPillar] = useState('');
  const [isTest, setTest] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isAsked, setAsked] = useState(false);
  const start = async (): Promise<void> => {
    setProblem(undefined);
    const data = pillar.trim() === '' ? undefined : readValue(pillar);
    if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data))) {
      setProblem('The pillar is a mapping in JSON, such as {"version": "1.2"}.');
      return;
    }
    try {
      const { jid } = await app.server.startOrchestration({
        mods: mods.trim(),
        ...(data === undefined ? {} : { pillar: data }),
        ...(isTest ? { test: true } : {}),
      });
      onClose();
      app.places.go(linkTo('orchestrations', jid));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Dialog title="Run an orchestration" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isTest || isAsked) void start();
          else setAsked(true);
        }}
      >
        <label class="field">
          <span>SLS</span>
          <input
            type="text"
            class="mono"
            required
            autoFocus
            autoComplete="off"
            spellcheck={false}
            placeholder="orch.deploy"
            value={mods}
            onInput={(event) => {
              setMods(event.currentTarget.value);
              setAsked(false);
            }}
          />
        </label>
        <label class="field">
          <span>Pillar, in JSON</span>
          <textarea
            class="mono"
            rows={3}
            spellcheck={false}
            placeholder='{"version": "1.2"}'
            value={pillar}
            onInput={(event) => setPillar(event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isTest}
            onChange={(event) => {
              setTest(event.currentTarget.checked);
              setAsked(false);
            }}
          />{' '}
          Test mode: say what would change
        </label>
        {problem === undefined ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {isAsked ? (
          <p class="warn-text" role="alert">
            {mods.trim()} is run on the master, and on whatever minions it names, without test mode. What it
            changes is not taken back.
          </p>
        ) : null}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isAsked ? 'danger' : 'primary'}>
            {isTest ? 'Test' : isAsked ? `Run ${mods.trim()}` : 'Run…'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
