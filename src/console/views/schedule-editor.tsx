/** The form of one job of a minion's schedule: a new one, or one that is there. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { callMinion } from '../api/minion-call.ts';
import { argumentsOf } from '../model/form-values.ts';
import { mappingIn, type Mapping } from '../model/json.ts';
import { questionOf } from '../model/questions.ts';
import { linkTo } from '../model/route.ts';
import { summaryOfAnswer, type Answer } from '../model/schedule-answer.ts';
import {
  droppedOf,
  formOf,
  jobProblems,
  keptOf,
  keywordsOf,
  NEW_JOB,
  type JobForm,
} from '../model/schedule-job.ts';
import { namesOne, sentTarget, type TypedTarget } from '../model/targets.ts';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf, Problem } from '../parts/problem.tsx';
import { HowFields, TimeFields } from '../parts/schedule-fields.tsx';
import { Reach, TargetBox, usePreview } from '../parts/target-box.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import { useApp } from '../state/app.ts';
import { useFunction } from '../state/described.ts';
import { useLoaded } from '../state/loading.ts';
import { givenIn, JobFunction, jsonOf, type Given } from './schedule-function.tsx';

interface EditorProps {
  readonly id: string;
  /** Of the job that is changed; undefined for a new one. */
  readonly name: string | undefined;
  /** Of all jobs that are there. */
  readonly names: readonly string[];
  readonly onSaved: (answer: Answer) => void;
  readonly onClose: () => void;
}

/** Asks the minion for all that it knows of the job, and shows its form. */
export function ScheduleEditor(props: EditorProps): JSX.Element {
  const app = useApp();
  const { id, name, onClose } = props;
  const { data, error, reload } = useLoaded(
    name === undefined
      ? undefined
      : async () => (await callMinion(app.server, { id, fun: 'schedule.job_status', arg: [name] })).return,
    [id, name],
  );
  const title = name === undefined ? `New job of ${id}` : `Job ${name} of ${id}`;
  const status = mappingIn(data);
  return (
    <section class="schedule-editor" aria-label={title}>
      <div class="row">
        <h2 class="grow break">{title}</h2>
        <button type="button" onClick={onClose}>
          Back to the list
        </button>
      </div>
      <Problem error={error} onRetry={reload} />
      {name === undefined ? <JobEditor {...props} form={NEW_JOB} status={{}} /> : null}
      {name === undefined || error !== undefined ? null : data === undefined ? (
        <p class="faint">Asking the minion…</p>
      ) : Object.keys(status).length > 0 ? (
        <JobEditor {...props} form={formOf(name, status)} status={status} />
      ) : (
        <p class="problem" role="alert">
          {id} has no job {name} any more{typeof data === 'string' ? `: ${data}` : ''}.
        </p>
      )}
    </section>
  );
}

function JobEditor(props: EditorProps & { form: JobForm; status: Mapping }): JSX.Element {
  const app = useApp();
  const { id, name, names, status } = props;
  const [form, setForm] = useState(props.form);
  const [target, setTarget] = useState<TypedTarget>({ text: id, kind: 'list' });
  const [isShown, setShown] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const detail = useFunction('local', form.fun);
  const [given, setGiven] = useState<Given | undefined>(undefined);
  // a job that is there has its arguments as it has them, until somebody writes others
  const said = given ?? givenIn(form, detail);
  const typed = jsonOf(said) ?? argumentsOf(said.values, detail);
  const isHere = target.kind === 'list' && target.text.trim() === id;
  const fun = name === undefined ? 'schedule.add' : 'schedule.modify';
  const preview = usePreview(target, fun);
  const problems = [
    ...jobProblems(form, isHere ? names : [], app.now.peek()),
    ...(typed.problem === undefined ? [] : [typed.problem]),
    ...(target.text.trim() === '' ? ['Say which minions get the job.'] : []),
  ];
  const question = questionOf({
    ...{ kind: 'local', fun, args: form.name, isTest: false, target: target.text },
    ...{ isNamed: namesOne(target), count: preview.count },
  });
  const save = async (): Promise<void> => {
    const kwarg = {
      ...keywordsOf(form),
      ...(typed.arg.length > 0 ? { job_args: typed.arg } : {}),
      ...(Object.keys(typed.kwarg).length > 0 ? { job_kwargs: typed.kwarg } : {}),
    };
    if (!isHere) {
      const { jid } = await app.server.start({ ...sentTarget(target), fun, arg: [form.name.trim()], kwarg });
      if (jid !== null) app.places.go(linkTo('jobs', jid));
      return;
    }
    const answer = summaryOfAnswer(await callMinion(app.server, { id, fun, arg: [form.name.trim()], kwarg }));
    if (!answer.isGood) throw new Error(answer.text);
    props.onSaved(answer);
  };
  const ask = (): void => {
    setShown(true);
    setProblem(undefined);
    if (problems.length > 0 || isBusy) return;
    if (!isHere && question !== undefined) return setAsked(true);
    setBusy(true);
    void save()
      .catch((failed: unknown) => setProblem(messageOf(failed)))
      .then(() => setBusy(false));
  };
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <StatusLine status={status} />
      <JobFunction
        isNew={name === undefined}
        form={form}
        said={said}
        detail={detail}
        onForm={setForm}
        onGiven={setGiven}
      />
      <TimeFields form={form} onChange={setForm} />
      <HowFields form={form} onChange={setForm} />
      <Kept form={form} />
      <fieldset>
        <legend>Whom</legend>
        <TargetBox target={target} onChange={setTarget} />
        {isHere ? null : <Reach preview={preview} target={target} />}
      </fieldset>
      <div class="run-actions">
        {isShown && problems.length > 0 ? (
          <div class="problem" role="alert">
            <ul class="plain">
              {problems.map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          </div>
        ) : null}
        {problem === undefined ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Asking the minion…' : name === undefined ? 'Add the job' : 'Save'}
        </button>
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
      </div>
      {isAsked && question !== undefined ? (
        <Confirm
          title={question.title}
          action={question.action}
          isDangerous={question.isDangerous}
          isWaiting={preview.isPending}
          onClose={() => setAsked(false)}
          onDo={save}
        >
          <p class="break">{question.text}</p>
          <Reach preview={preview} target={target} />
        </Confirm>
      ) : null}
    </form>
  );
}

/** What the scheduler says of the job. */
function StatusLine({ status }: { status: Mapping }): JSX.Element | null {
  const said = (key: string): string | undefined => {
    const value = status[key];
    return value === undefined || value === null || value === '' ? undefined : String(value);
  };
  const [next, last, error] = [said('_next_fire_time'), said('_last_run'), said('_error')];
  return (
    <>
      {error === undefined ? null : <p class="problem">The minion cannot run it: {error}</p>}
      {next === undefined && last === undefined ? null : (
        <p class="faint">
          {[next === undefined ? '' : `Runs next at ${next}`, last === undefined ? '' : `ran last at ${last}`]
            .filter((each) => each !== '')
            .join(', ')}
          , by the minion’s clock.
        </p>
      )}
    </>
  );
}

/** What no field shows, and what goes. */
function Kept({ form }: { form: JobForm }): JSX.Element | null {
  const [kept, dropped] = [keptOf(form), droppedOf(form)];
  if (Object.keys(kept).length === 0 && dropped.length === 0) return null;
  return (
    <fieldset>
      <legend>What else it has</legend>
      {dropped.length === 0 ? null : (
        <p class="warn-text">
          {dropped.join(', ')} {dropped.length === 1 ? 'has' : 'have'} no effect beside the time that is
          chosen, and {dropped.length === 1 ? 'goes' : 'go'} when the job is saved.
        </p>
      )}
      {Object.keys(kept).length === 0 ? null : (
        <>
          <p class="faint">It has no fields here, and stays as it is.</p>
          <ValueView value={kept} label="what else the job has" />
        </>
      )}
    </fieldset>
  );
}
