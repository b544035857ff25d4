/** The schedule of one minion: its jobs, and what may be done with each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { callMinion } from '../api/minion-call.ts';
import { isMapping, mappingIn, type Mapping } from '../model/json.ts';
import { summaryOfAnswer, type Answer } from '../model/schedule-answer.ts';
import { questionOf } from '../model/questions.ts';
import { functionOf, timeInWords } from '../model/schedule-job.ts';
import { writeArguments } from '../model/words.ts';
import { AskedDialog, type Asked } from '../parts/asked.tsx';
import { messageOf, Problem } from '../parts/problem.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';
import { ScheduleEditor } from './schedule-editor.tsx';

/** The tab. */
export function ScheduleTab({ id }: { id: string }): JSX.Element {
  const app = useApp();
  const { data, error, isLoading, reload } = useLoaded(() => app.server.minionPart(id, 'schedule'), [id]);
  const pillar = useLoaded(
    app.session.can('minions.pillar') ? () => app.server.minionPart(id, 'pillar') : undefined,
    [id],
  );
  const [edited, setEdited] = useState<{ name: string | undefined } | undefined>(undefined);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const schedule = data?.data ?? {};
  const jobs = Object.entries(schedule).filter((entry): entry is [string, Mapping] => isMapping(entry[1]));
  const settings = Object.fromEntries(Object.entries(schedule).filter(([, value]) => !isMapping(value)));
  const inPillar = pillar.data?.data['schedule'];
  const call = async (fun: string, arg: readonly unknown[]): Promise<void> => {
    const answer = summaryOfAnswer(await callMinion(app.server, { id, fun, arg }));
    if (answer.isGood) app.notices.done(`${id}: ${answer.text}`);
    reload();
    if (!answer.isGood) throw new Error(answer.text);
  };
  const act = (fun: string, arg: readonly unknown[]): void => {
    setBusy(String(arg[0] ?? ''));
    void call(fun, arg)
      .catch((failed: unknown) => app.notices.error(messageOf(failed)))
      .then(() => setBusy(undefined));
  };
  if (edited !== undefined)
    return (
      <ScheduleEditor
        id={id}
        name={edited.name}
        names={jobs.map(([name]) => name)}
        onClose={() => setEdited(undefined)}
        onSaved={(answer: Answer) => {
          app.notices.done(`${id}: ${answer.text}`);
          setEdited(undefined);
          reload();
        }}
      />
    );
  const canAct = app.session.can('jobs.start');
  const isOff = settings['enabled'] === false;
  return (
    <div class="minion-part">
      <div class="row">
        {canAct ? (
          <>
            <button type="button" class="primary" onClick={() => setEdited({ name: undefined })}>
              New job…
            </button>
            {isOff ? (
              <button type="button" onClick={() => act('schedule.enable', [])}>
                Enable the schedule
              </button>
            ) : (
              <button
                type="button"
                onClick={() => setAsked(allOff(id, jobs.length, () => call('schedule.disable', [])))}
              >
                Disable the schedule…
              </button>
            )}
          </>
        ) : null}
        <button type="button" onClick={reload}>
          Load again
        </button>
      </div>
      <Problem error={error} onRetry={reload} />
      {isOff ? <p class="warn-text">The whole schedule is disabled: none of its jobs runs.</p> : null}
      {data === undefined && isLoading ? <p class="faint">Asking the minion…</p> : null}
      {data !== undefined && jobs.length === 0 ? <p>There are no jobs in its schedule.</p> : null}
      {jobs.length === 0 ? null : (
        <ul class="schedule" aria-label="Jobs of the schedule">
          {jobs.map(([name, job]) => (
            <JobLine
              key={name}
              name={name}
              job={job}
              isFromPillar={isMapping(inPillar) && name in inPillar}
              actions={
                canAct
                  ? {
                      isBusy: busy === name,
                      edit: () => setEdited({ name }),
                      run: () => {
                        const question = runQuestion(id, name, job, () => call('schedule.run_job', [name]));
                        if (question === undefined) act('schedule.run_job', [name]);
                        else setAsked(question);
                      },
                      enable: () => act('schedule.enable_job', [name]),
                      disable: () => setAsked(off(id, name, () => call('schedule.disable_job', [name]))),
                      remove: () => setAsked(removal(id, name, () => call('schedule.delete', [name]))),
                    }
                  : undefined
              }
            />
          ))}
        </ul>
      )}
      {data === undefined ? null : (
        <details>
          <summary>All of it as it is</summary>
          <ValueView value={schedule} label="the schedule" />
        </details>
      )}
      <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />
    </div>
  );
}

interface JobActions {
  readonly isBusy: boolean;
  readonly edit: () => void;
  readonly run: () => void;
  readonly enable: () => void;
  readonly disable: () => void;
  readonly remove: () => void;
}

function JobLine(props: {
  name: string;
  job: Mapping;
  isFromPillar: boolean;
  actions: JobActions | undefined;
}): JSX.Element {
  const { name, job, isFromPillar, actions } = props;
  const isOff = job['enabled'] === false;
  const button = (text: string, act: () => void): JSX.Element => (
    <button
      type="button"
      class="quiet text"
      aria-label={`${text.replace('…', '')} ${name}`}
      disabled={actions?.isBusy === true}
      onClick={act}
    >
      {text}
    </button>
  );
  return (
    <li class="card">
      <div class="row">
        <span class="grow break">
          <strong>{name}</strong> {isOff ? <span class="tag warn">disabled</span> : null}
          {isFromPillar ? <span class="tag">from the pillar</span> : null}
        </span>
        {actions === undefined ? null : (
          <span class="row">
            {isFromPillar ? null : button('Change', actions.edit)}
            {isOff ? null : button('Run now', actions.run)}
            {isFromPillar
              ? null
              : isOff
                ? button('Enable', actions.enable)
                : button('Disable…', actions.disable)}
            {isFromPillar ? null : button('Delete…', actions.remove)}
          </span>
        )}
      </div>
      <div class="break">
        <span class="mono">
          {functionOf(job)} {argumentsIn(job)}
        </span>{' '}
        <span class="faint">{timeInWords(job)}</span>
      </div>
      {isFromPillar ? <p class="faint">It is changed in the pillar, and not here.</p> : null}
    </li>
  );
}

function argumentsIn({ args, kwargs }: Mapping): string {
  const text = writeArguments(Array.isArray(args) ? args : [], mappingIn(kwargs));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What is asked before a job is run by hand; undefined when its function changes little. */
function runQuestion(id: string, name: string, job: Mapping, act: () => Promise<void>): Asked | undefined {
  const question = questionOf({
    ...{ kind: 'local', fun: functionOf(job), args: argumentsIn(job), isTest: false },
    ...{ target: id, isNamed: true, count: 1 },
  });
  if (question === undefined) return undefined;
  return { title: `Run the job ${name} on ${id} now?`, text: question.text, action: 'Run now', act };
}

function off(id: string, name: string, act: () => Promise<void>): Asked {
  return {
    title: `Disable the job ${name} of ${id}?`,
    text: 'It does not run any more, until it is enabled again.',
    ...{ action: 'Disable', act },
  };
}

function allOff(id: string, count: number, act: () => Promise<void>): Asked {
  return {
    title: `Disable the whole schedule of ${id}?`,
    text: `None of its ${count === 1 ? 'jobs (there is one)' : `${count} jobs`} runs any more, until the schedule is enabled again.`,
    ...{ action: 'Disable', act },
  };
}

function removal(id: string, name: string, act: () => Promise<void>): Asked {
  return {
    title: `Delete the job ${name} of ${id}?`,
    text: 'It is gone from the minion and from its saved file. What it is doing now is not ended.',
    ...{ action: 'Delete', act },
  };
}
