/** Running a function: on minions, or on the master itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ListedKind } from '../api/server.ts';
import { sameCommand, sendingProblem, type FormCall, type Sending } from '../model/command-line.ts';
import { argumentsOf, NO_VALUES, type FormValues } from '../model/form-values.ts';
import { hasTestMode, questionOf } from '../model/questions.ts';
import { mayCallSome } from '../model/rights.ts';
import { linkTo } from '../model/route.ts';
import { namesOne, sentTarget, targetKind, type TypedTarget } from '../model/targets.ts';
import { writeArguments, type CommandWords } from '../model/words.ts';
import { Confirm } from '../parts/dialog.tsx';
import { FunctionBox } from '../parts/function-box.tsx';
import { FunctionForm } from '../parts/function-form.tsx';
import { messageOf, Problem } from '../parts/problem.tsx';
import { Reach, TargetBox, usePreview } from '../parts/target-box.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import { useApp, type App } from '../state/app.ts';
import { useFunction } from '../state/described.ts';
import { useLoaded } from '../state/loading.ts';
import { FunctionDoc } from './function-doc.tsx';
import { RunnerProgress } from './runner-progress.tsx';
import { Templates } from './templates.tsx';
import type { ViewProps } from './view-props.ts';

const KINDS: readonly { kind: ListedKind; name: string; needs: string }[] = [
  { kind: 'local', name: 'On minions', needs: 'jobs.start' },
  { kind: 'runner', name: 'Runner', needs: 'runners.run' },
  { kind: 'wheel', name: 'Wheel', needs: 'wheel.run' },
];

/** What the form says. */
interface Call {
  readonly kind: ListedKind;
  readonly target: TypedTarget;
  readonly fun: string;
  readonly values: FormValues;
  readonly sending: Sending;
}

/** What has come of a call that is shown here; jobs have a page of their own. */
type Outcome =
  | { readonly kind: 'wheel'; readonly value: unknown; readonly success: boolean }
  | { readonly kind: 'runner'; readonly jid: string };

/** The view. */
export function RunView({ query }: ViewProps): JSX.Element {
  const app = useApp();
  const me = app.session.me.value;
  const rules = me?.rules.map(({ rule }) => rule) ?? [];
  const kinds = KINDS.filter(
    ({ kind, needs }) =>
      app.session.can(needs) && (kind === 'local' || me?.full === true || mayCallSome(kind, rules)),
  );
  const [call, setCall] = useState<Call>(() =>
    callIn(
      query,
      kinds.map(({ kind }) => kind),
    ),
  );
  const change = (part: Partial<Call>): void => {
    const isOther = part.fun !== undefined && part.fun !== call.fun && part.values === undefined;
    setCall({ ...call, ...(isOther ? { values: NO_VALUES } : {}), ...part });
  };
  if (kinds.length === 0)
    return (
      <div class="view">
        <h1>Run</h1>
        <p>You may not run anything. Access shows your rights.</p>
      </div>
    );
  const { kind, target, fun, values } = call;
  return (
    <div class="view run">
      <div class="view-head">
        <h1>Run</h1>
        <div class="switch" role="group" aria-label="Where it runs">
          {kinds.map((each) => (
            <button
              type="button"
              key={each.kind}
              aria-pressed={kind === each.kind}
              onClick={() => change({ kind: each.kind, fun: '' })}
            >
              {each.name}
            </button>
          ))}
        </div>
        <span class="spacer" />
        <Templates
          current={{
            ...{ kind, fun, tgt: target.text, tgt_type: target.kind, line: values.line },
            fields: Object.fromEntries([...values.fields].filter(([, text]) => text !== '')),
          }}
          onTake={({ kind: taken, fun: name, fields, line, tgt, tgt_type: type }) =>
            change({
              ...{ kind: taken, fun: name, target: { text: tgt, kind: targetKind(type) } },
              values: { fields: new Map(Object.entries(fields)), line },
            })
          }
        />
      </div>
      <CallForm call={call} change={change} />
    </div>
  );
}

/** The call that the address says. */
function callIn(query: ReadonlyMap<string, string>, kinds: readonly ListedKind[]): Call {
  return {
    kind: kinds.find((each) => each === query.get('kind')) ?? kinds[0] ?? 'local',
    target: { text: query.get('tgt') ?? '', kind: targetKind(query.get('tgt_type')) },
    fun: query.get('fun') ?? '',
    values: { ...NO_VALUES, line: query.get('arg') ?? '' },
    sending: { test: query.get('test') === 'true', batch: '', canary: '', timeout: '' },
  };
}

function CallForm({ call, change }: { call: Call; change: (part: Partial<Call>) => void }): JSX.Element {
  const app = useApp();
  const { kind, target, fun, values, sending } = call;
  const functions = useLoaded(() => app.catalogue.list(kind), [kind]);
  const detail = useFunction(kind, fun);
  const preview = usePreview(target, detail === undefined ? undefined : fun);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isAsked, setAsked] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const typed = argumentsOf(values, detail);
  const missing = detail?.params.find(
    ({ name, required }, at) => required && !(name in typed.kwarg) && typed.arg.length <= at,
  );
  const unsendable = kind === 'local' ? sendingProblem(sending) : undefined;
  const isReady =
    fun !== '' &&
    typed.problem === undefined &&
    missing === undefined &&
    unsendable === undefined &&
    (kind !== 'local' || target.text.trim() !== '');
  const args = writeArguments(typed.arg, typed.kwarg);
  const isTestAsked = (kind === 'local' && sending.test) || typed.kwarg['test'] === true;
  const isTest = isTestAsked && hasTestMode(fun, detail);
  const question = questionOf({
    kind,
    fun,
    args,
    isTest,
    target: target.text,
    isNamed: namesOne(target),
    count: preview.count,
  });
  const start = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setOutcome(undefined);
    await send(app, call, typed).then(setOutcome, (error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
  };
  const ask = (): void => {
    if (!isReady || isBusy) return;
    if (question === undefined) void start();
    else setAsked(true);
  };
  useControlEnter(ask);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    ask();
  };
  return (
    <>
      <form class="run-columns" onSubmit={onSubmit}>
        <div class="run-form">
          {kind === 'local' ? (
            <fieldset>
              <legend>Whom</legend>
              <TargetBox target={target} onChange={(next) => change({ target: next })} />
              <Reach preview={preview} target={target} />
            </fieldset>
          ) : null}
          <fieldset>
            <legend>What</legend>
            <FunctionBox
              value={fun}
              functions={functions.data ?? []}
              onChange={(next) => change({ fun: next })}
            />
            <Problem error={functions.error} />
            {fun === '' ? null : (
              <FunctionForm detail={detail} values={values} onChange={(next) => change({ values: next })} />
            )}
          </fieldset>
          {kind === 'local' ? (
            <SendingFields sending={sending} onChange={(next) => change({ sending: next })} />
          ) : null}
          {fun === '' ? null : <SameCommandLine call={{ kind, target, fun, args, sending }} />}
          <div class="run-actions">
            {problem === undefined ? null : (
              <p class="problem" role="alert">
                {problem}
              </p>
            )}
            <button type="submit" class="primary" disabled={!isReady || isBusy}>
              {isBusy ? 'Sending…' : runLabel(kind, preview.count, isTest)}
            </button>
            {isTestAsked && !isTest && fun !== '' ? (
              <span class="faint">{fun} is not known to have a test mode: it may act as ever.</span>
            ) : null}
            {unsendable === undefined ? null : <span class="faint">{unsendable}</span>}
            {missing === undefined || fun === '' ? null : (
              <span class="faint">{missing.name} is required.</span>
            )}
          </div>
        </div>
        <FunctionDoc detail={detail} fun={fun} />
      </form>
      {isAsked && question !== undefined ? (
        <Confirm
          title={question.title}
          action={question.action}
          isDangerous={question.isDangerous}
          isWaiting={kind === 'local' && preview.isPending}
          onClose={() => setAsked(false)}
          onDo={start}
        >
          <p class="break">{question.text}</p>
          {kind === 'local' ? <Reach preview={preview} target={target} /> : null}
          <Pace sending={sending} />
        </Confirm>
      ) : null}
      <Result outcome={outcome} />
    </>
  );
}

/** `Ctrl Enter` wherever the focus is on the page: what was pressed last may be gone, or be no field. */
function useControlEnter(act: () => void): void {
  const app = useApp();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      // what is open over the page has the keyboard to itself
      if (app.overlay.peek() !== undefined || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

function SameCommandLine({ call }: { call: FormCall }): JSX.Element {
  const same = sameCommand(call);
  return (
    <div class="command">
      <span class="faint">The same on the command line</span>
      {'command' in same ? (
        <code class="mono break">{same.command}</code>
      ) : (
        <span class="faint">{same.none}</span>
      )}
    </div>
  );
}

/** How many are told at once. */
function Pace({ sending: { batch, canary } }: { sending: Sending }): JSX.Element | null {
  const parts = [
    canary === '' ? '' : `${canary} of them first`,
    batch === '' ? '' : `${batch} at a time`,
  ].filter((each) => each !== '');
  return parts.length === 0 ? null : <p>{parts.join(', ')}</p>;
}

/** What has come of a function of the master. */
function Result({ outcome }: { outcome: Outcome | undefined }): JSX.Element | null {
  if (outcome === undefined) return null;
  if (outcome.kind === 'runner') return <RunnerProgress key={outcome.jid} jid={outcome.jid} />;
  return (
    <section aria-label="Result">
      <h2>{outcome.success ? 'Returned' : 'Failed'}</h2>
      <ValueView value={outcome.value} label="the result" />
    </section>
  );
}

/** Sends a call. @returns what is shown here; undefined for a job, to whose page it goes @throws ApiError */
async function send(
  app: App,
  { kind, target, fun, sending }: Call,
  typed: CommandWords,
): Promise<Outcome | undefined> {
  const { arg, kwarg } = typed;
  if (kind === 'wheel') {
    const answer = await app.server.callWheel(fun, { arg, kwarg });
    return { kind, value: answer.return, success: answer.success };
  }
  if (kind === 'runner') return { kind, jid: (await app.server.callRunner(fun, { arg, kwarg })).jid };
  const started = await app.server.start({ ...sentTarget(target), fun, arg, kwarg, ...sendingOf(sending) });
  if (started.run !== null) app.places.go(linkTo('run', started.run));
  else if (started.jid !== null) app.places.go(linkTo('jobs', started.jid));
  return undefined;
}

function SendingFields({
  sending,
  onChange,
}: {
  sending: Sending;
  onChange: (sending: Sending) => void;
}): JSX.Element {
  const text = (name: 'batch' | 'canary' | 'timeout', label: string, placeholder: string): JSX.Element => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        class="mono"
        autoComplete="off"
        placeholder={placeholder}
        value={sending[name]}
        onInput={(event) => onChange({ ...sending, [name]: event.currentTarget.value.trim() })}
      />
    </label>
  );
  return (
    <fieldset>
      <legend>How</legend>
      <div class="fields">
        {text('batch', 'Batch', '10% or 5 at a time')}
        {text('canary', 'Canary', '1 or 10% first')}
        {text('timeout', 'Timeout', 'seconds')}
        <label class="check">
          <input
            type="checkbox"
            checked={sending.test}
            onChange={(event) => onChange({ ...sending, test: event.currentTarget.checked })}
          />
          Test mode
        </label>
      </div>
    </fieldset>
  );
}

function sendingOf({ test, batch, canary, timeout }: Sending): Record<string, unknown> {
  return {
    ...(test ? { test: true } : {}),
    ...(batch === '' ? {} : { batch }),
    ...(canary === '' ? {} : { canary: { size: canary } }),
    ...(timeout === '' ? {} : { timeout: Number(timeout) }),
  };
}

function runLabel(kind: ListedKind, count: number | undefined, isTest: boolean): string {
  if (kind !== 'local' || count === undefined) return isTest ? 'Test' : 'Run';
  return `${isTest ? 'Test' : 'Run'} on ${count.toLocaleString('en')} ${count === 1 ? 'minion' : 'minions'}`;
}
