/** The arguments of a function as a form, made from its description. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FunctionDetail, Param } from '../model/contract.ts';
import { FIELDS_MOST, fieldsOf } from '../model/form-fields.ts';
import type { FormValues } from '../model/form-values.ts';
import { readArguments, writeValue } from '../model/words.ts';
import { DocText } from './doc-text.tsx';

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
      {param.doc === '' ? null : (
        <span class="hint">
          <DocText doc={param.doc} />
        </span>
      )}
    </label>
  );
}
