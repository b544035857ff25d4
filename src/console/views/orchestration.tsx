/** One run of an orchestration, step by step. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OrchestrationDetail } from '../model/contract.ts';
import { after, every } from '../model/clock.ts';
import { linkTo } from '../model/route.ts';
import { dateTime, duration, isoMs } from '../model/time.ts';
import { Problem } from '../parts/problem.tsx';
import { StepState } from '../parts/step-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';
import type { ViewProps } from './view-props.ts';

const LOOK_MS = 2000;
const REST_MS = 300;

/** The view. */
export function OrchestrationView({ id = '' }: ViewProps): JSX.Element {
  const app = useApp();
  const tick = useEventsOf(id);
  const { data, error, reload } = useLoaded(() => app.server.orchestration(id), [id, tick]);
  const isRunning = data?.state === 'running';
  useEffect(() => (isRunning ? every(LOOK_MS, reload) : undefined), [isRunning]);
  return (
    <div class="view">
      <div class="view-head">
        <h1 class="mono break">{data?.mods ?? id}</h1>
        {data === undefined ? null : <StepState state={data.state} />}
      </div>
      <Problem error={data === undefined ? error : undefined} onRetry={reload} />
      {data === undefined ? null : <Steps run={data} />}
    </div>
  );
}

/** Goes up when the bus tells of this run. */
function useEventsOf(jid: string): number {
  const app = useApp();
  const last = app.feed.events.value.findLast(({ tag }) => tag.startsWith(`salt/run/${jid}/`))?.nth ?? 0;
  const [rested, setRested] = useState(0);
  useEffect(() => after(REST_MS, () => setRested(last)), [last]);
  return rested;
}

function Steps({ run }: { run: OrchestrationDetail }): JSX.Element {
  const startMs = isoMs(run.started);
  const endMs = isoMs(run.ended);
  return (
    <>
      <p class="facts">
        <span title={startMs === undefined ? '' : dateTime(startMs)}>
          started <Ago at={run.started} />
        </span>
        {startMs === undefined || endMs === undefined ? null : (
          <span>took {duration((endMs - startMs) / 1000)}</span>
        )}
        <span class="mono faint">{run.jid}</span>
      </p>
      <ol class="steps" aria-label="Steps">
        {run.steps.map((step) => (
          <li key={`${step.id} ${step.fun} ${step.name}`} class={`step ${step.state}`}>
            <div class="row">
              <StepState state={step.state} />
              <strong class="break">{step.id}</strong>
              <span class="mono faint">{step.fun}</span>
              <span class="spacer" />
              {step.seconds === null ? null : <span class="faint">{duration(step.seconds)}</span>}
              {step.jid === null ? null : <a href={linkTo('jobs', step.jid)}>Job</a>}
            </div>
            {step.comment === null || step.comment === '' ? null : (
              <p class="comment">{step.comment.slice(0, 4000)}</p>
            )}
          </li>
        ))}
      </ol>
      {run.steps.length === 0 ? <p class="faint">Its steps are not known yet.</p> : null}
    </>
  );
}
