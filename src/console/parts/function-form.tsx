/** The arguments of a function as a form, made from its description. */
import type { JSX } from 'preact';
import type { FunctionDetail, Param } from '../model/contract.ts';
import { readArguments, readValue, writeValue, type TypedArguments } from '../model/words.ts';

/** What stands in the fields. */
export interface FormValues {
  /** By name of the parameter. */
  readonly fields: ReadonlyMap<string, string>;
  /** Everything else, as on the command line. */
  readonly line: string;
}

/** Parameters that have fields of their own; a function with more has the others in the line. */
const FIELDS_MOST = 40;

/** The arguments that the form says. Those in their places come first, so a parameter that is left empty has the ones after it sent by name. */
export function argumentsOf(values: FormValues, detail: FunctionDetail | undefined): TypedArguments {
  const typed = readArguments(values.line);
  if (detail === undefined) return typed;
  const kwarg = new Map<string, unknown>(Object.entries(typed.kwarg));
  const arg: unknown[] = [];
  let isInOrder = true;
  for (const param of detail.params.slice(0, FIELDS_MOST)) {
    const text = values.fields.get(param.name) ?? '';
    if (text === '') isInOrder = false;
    else if (isInOrder && param.required && !param.keyword_only) arg.push(valueOf(param, text));
    else kwarg.set(param.name, valueOf(param, text));
  }
  return { ...typed, arg: [...arg, ...typed.arg], kwarg: Object.fromEntries(kwarg) };
}

function valueOf({ type }: Param, text: string): unknown {
  return type === 'str' && !/^(null|None|~)$/.test(text.trim()) ? text : readValue(text);
}

/** The form. */
export function FunctionForm(props: {
  detail: FunctionDetail | undefined;
  values: FormValues;
  onChange: (values: FormValues) => void;
}): JSX.Element {
  const { detail, values, onChange } = props;
  const params = detail?.params.slice(0, FIELDS_MOST) ?? [];
  const needsLine =
    detail === undefined || detail.varargs || detail.kwargs || detail.params.length > FIELDS_MOST;
  const set = (name: string, text: string): void =>
    onChange({ ...values, fields: new Map(values.fields).set(name, text) });
  const { problem } = readArguments(values.line);
  return (
    <div class="function-form">
      {params.map((param) => (
        <ParamField
          key={param.name}
          param={param}
          text={values.fields.get(param.name) ?? ''}
          onText={(text) => set(param.name, text)}
        />
      ))}
      {needsLine ? (
        <label class="field">
          <span>{params.length > 0 ? 'More arguments' : 'Arguments'}</span>
          <input
            class="mono"
            type="text"
            autoComplete="off"
            spellcheck={false}
            placeholder="as on the command line: nginx version=1.10"
            value={values.line}
            aria-invalid={problem !== undefined}
            onInput={(event) => onChange({ ...values, line: event.currentTarget.value })}
          />
          {problem === undefined ? null : <span class="problem-text">{problem}</span>}
        </label>
      ) : params.length === 0 ? (
        <p class="faint">This function takes no arguments.</p>
      ) : null}
    </div>
  );
}

function ParamField({
  param,
  text,
  onText,
}: {
  param: Param;
  text: string;
  onText: (text: string) => void;
}): JSX.Element {
  const standard = param.default === undefined ? '' : writeValue(param.default);
  return (
    <label class="field">
      <span>
        <span class="mono">{param.name}</span>
        {param.required ? <span class="needed"> required</span> : null}
        {param.type === '' ? null : <span class="faint"> {param.type}</span>}
      </span>
      {param.type === 'bool' ? (
        <select value={text} onChange={(event) => onText(event.currentTarget.value)}>
          <option value="">{standard === '' ? '–' : `${standard} (default)`}</option>
          <option value="True">True</option>
          <option value="False">False</option>
        </select>
      ) : (
        <input
          class="mono"
          type="text"
          autoComplete="off"
          spellcheck={false}
          placeholder={standard}
          value={text}
          required={param.required}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
      {param.doc === '' ? null : <span class="hint">{param.doc}</span>}
    </label>
  );
}
