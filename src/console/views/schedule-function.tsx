/**
 * What a job of the schedule runs: its function, and the arguments in their form, or in JSON where no form says them.
 */
import type { JSX } from 'preact';
import type { FunctionDetail } from '../model/contract.ts';
import { NO_VALUES, valuesFor, type FormValues } from '../model/form-values.ts';
import { isMapping } from '../model/json.ts';
import type { JobForm } from '../model/schedule-job.ts';
import type { CommandWords } from '../model/words.ts';
import { FunctionBox } from '../parts/function-box.tsx';
import { FunctionForm } from '../parts/function-form.tsx';
import { Problem } from '../parts/problem.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';

/** Arguments in their own form, or in JSON where no form says them. */
export interface Given {
  readonly values: FormValues;
  /** Undefined while the form says the arguments. */
  readonly json: { readonly args: string; readonly kwargs: string } | undefined;
}

/** The fields. */
export function JobFunction(props: {
  isNew: boolean;
  form: JobForm;
  said: Given;
  detail: FunctionDetail | undefined;
  onForm: (form: JobForm) => void;
  onGiven: (given: Given) => void;
}): JSX.Element {
  const app = useApp();
  const { form, said, detail, onForm, onGiven } = props;
  const functions = useLoaded(() => app.catalogue.list('local'), []);
  return (
    <fieldset>
      <legend>What</legend>
      {props.isNew ? (
        <label class="field">
          <span>Name</span>
          <input
            type="text"
            autoComplete="off"
            maxLength={200}
            value={form.name}
            onInput={(event) => onForm({ ...form, name: event.currentTarget.value })}
          />
        </label>
      ) : null}
      <FunctionBox
        value={form.fun}
        functions={functions.data ?? []}
        onChange={(fun) => {
          if (fun !== form.fun) onGiven({ values: NO_VALUES, json: undefined });
          onForm({ ...form, fun });
        }}
      />
      <Problem error={functions.error} />
      {form.fun === '' ? null : said.json === undefined ? (
        <FunctionForm
          detail={detail}
          values={said.values}
          onChange={(values) => onGiven({ values, json: undefined })}
        />
      ) : (
        <JsonArguments json={said.json} onChange={(json) => onGiven({ values: NO_VALUES, json })} />
      )}
    </fieldset>
  );
}

/** The arguments of the job that is there. */
export function givenIn({ before }: JobForm, detail: FunctionDetail | undefined): Given {
  const { args = [], kwargs = {} } = before;
  const values = Array.isArray(args) && isMapping(kwargs) ? valuesFor(args, kwargs, detail) : undefined;
  if (values !== undefined) return { values, json: undefined };
  return { values: NO_VALUES, json: { args: JSON.stringify(args), kwargs: JSON.stringify(kwargs) } };
}

/** The arguments as they stand in JSON; undefined when they have a form. */
export function jsonOf({ json }: Given): CommandWords | undefined {
  if (json === undefined) return undefined;
  try {
    const [arg, kwarg] = [json.args, json.kwargs].map((text) => JSON.parse(text) as unknown);
    if (Array.isArray(arg) && isMapping(kwarg)) return { arg, kwarg };
  } catch {
    // said below
  }
  return {
    arg: [],
    kwarg: {},
    problem: 'args is a list in JSON, and kwargs a mapping, such as ["a"] and {"cwd": "/"}.',
  };
}

function JsonArguments({
  json,
  onChange,
}: {
  json: NonNullable<Given['json']>;
  onChange: (json: NonNullable<Given['json']>) => void;
}): JSX.Element {
  return (
    <>
      <p class="faint">The arguments of this job do not fit into a form; here they are in JSON.</p>
      {(['args', 'kwargs'] as const).map((key) => (
        <label class="field" key={key}>
          <span class="mono">{key}</span>
          <textarea
            class="mono"
            rows={3}
            spellcheck={false}
            value={json[key]}
            onInput={(event) => onChange({ ...json, [key]: event.currentTarget.value })}
          />
        </label>
      ))}
    </>
  );
}
