/** The arguments of a function as a form, made from its description. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FunctionDetail, Param } from '../model/contract.ts';
import { FIELDS_MOST, fieldsOf } from '../model/form-fields.ts';
import { readArguments, readValue, writeValue, type TypedArguments } from '../model/words.ts';

/** What stands in the fields. */
export interface FormValues {
  /** By name of the parameter. */
  readonly fields: ReadonlyMap<string, string>;
  /** Everything else, as on the command line. */
  readonly line: string;
}

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
  const { usual, more } = detail === undefined ? { usual: [], more: [] } : fieldsOf(detail);
  const needsLine =
    detail === undefined || detail.varargs || detail.kwargs || detail.params.length > FIELDS_MOST;
  const set = (name: string, text: string): void =>
    onChange({ ...values, fields: new Map(values.fields).set(name, text) });
  const { problem } = readArguments(values.line);
  const fields = (params: readonly Param[]): JSX.Element[] =>
    params.map((param) => (
      <ParamField
        key={param.name}
        param={param}
        text={values.fields.get(param.name) ?? ''}
        onText={(text) => set(param.name, text)}
      />
    ));
  return (
    <div class="function-form">
      {fields(usual)}
      {needsLine ? (
        <label class="field">
          <span>{usual.length > 0 ? 'More arguments' : 'Arguments'}</span>
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
      ) : usual.length === 0 ? (
        <p class="faint">This function takes no arguments.</p>
      ) : null}
      {more.length === 0 ? null : (
        <MoreOptions
          key={detail?.name}
          count={more.length}
          countSet={more.filter(({ name }) => (values.fields.get(name) ?? '') !== '').length}
        >
          {fields(more)}
        </MoreOptions>
      )}
    </div>
  );
}

/** What is seldom wanted; open from the beginning where something in it is set. */
function MoreOptions(props: { count: number; countSet: number; children: JSX.Element[] }): JSX.Element {
  const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
  return (
    <details
      class="more-options"
      open={isOpen ?? props.countSet > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        More options ({props.count})
        {props.countSet === 0 ? null : <span class="tag">{props.countSet} set</span>}
      </summary>
      <div class="function-form">{props.children}</div>
    </details>
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
