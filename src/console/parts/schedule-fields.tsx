/** When a job of the schedule runs, and how: the fields of its form beside its function. */
import type { JSX } from 'preact';
import type { JobForm, Timing } from '../model/schedule-job.ts';
import { UNITS } from '../model/schedule-job.ts';

const TIMINGS: readonly { timing: Timing; name: string }[] = [
  { timing: 'interval', name: 'Every' },
  { timing: 'cron', name: 'Cron' },
  { timing: 'when', name: 'At times' },
  { timing: 'once', name: 'Once' },
  { timing: 'none', name: 'Only by hand' },
];

interface FieldsProps {
  readonly form: JobForm;
  readonly onChange: (form: JobForm) => void;
}

/** The time. */
export function TimeFields({ form, onChange }: FieldsProps): JSX.Element {
  const { timing } = form;
  return (
    <fieldset>
      <legend>When</legend>
      <div class="switch" role="group" aria-label="How its time is said">
        {TIMINGS.map(({ timing: each, name }) => (
          <button
            type="button"
            key={each}
            aria-pressed={timing === each}
            onClick={() => onChange({ ...form, timing: each })}
          >
            {name}
          </button>
        ))}
      </div>
      {timing === 'interval' ? (
        <div class="fields">
          {UNITS.map((unit) => (
            <Text key={unit} form={form} onChange={onChange} field={unit} label={unit} isNumber />
          ))}
        </div>
      ) : null}
      {timing === 'cron' ? (
        <Text
          {...{ form, onChange, field: 'cron', label: 'cron', placeholder: '*/5 * * * *' }}
          hint="minute, hour, day of the month, month, day of the week; or @daily and the like"
        />
      ) : null}
      {timing === 'when' ? <WhenField form={form} onChange={onChange} /> : null}
      {timing === 'once' ? (
        <div class="fields">
          <Text {...{ form, onChange, field: 'once', label: 'once', placeholder: '2026-12-24T17:00:00' }} />
          <Text
            {...{ form, onChange, field: 'once_fmt', label: 'once_fmt', placeholder: '%Y-%m-%dT%H:%M:%S' }}
          />
        </div>
      ) : null}
      {timing === 'none' ? (
        <p class="faint">It runs when somebody runs it here, or calls schedule.run_job.</p>
      ) : (
        <p class="faint">Times are those of the minion’s own clock.</p>
      )}
    </fieldset>
  );
}

function WhenField({ form, onChange }: FieldsProps): JSX.Element {
  return (
    <label class="field">
      <span class="mono">when</span>
      <textarea
        class="mono"
        rows={3}
        spellcheck={false}
        placeholder={'Monday 5:00pm\nFriday 3:30pm'}
        value={form.fields.get('when') ?? ''}
        onInput={(event) => onChange(withField(form, 'when', event.currentTarget.value))}
      />
      <span class="hint">a time in each line, such as 5:00pm, Tuesday 3:30pm or 2026-12-24T17:00:00</span>
    </label>
  );
}

/** Everything else that a job can have. */
export function HowFields(props: FieldsProps): JSX.Element {
  const { form } = props;
  const more = [
    ...['range.start', 'range.end', 'range.invert', 'skip_during_range.start', 'skip_during_range.end'],
    ...[
      'run_after_skip_range',
      'after',
      'until',
      'jid_include',
      'metadata',
      'return_config',
      'return_kwargs',
    ],
  ];
  const isOpen = more.some((field) => (form.fields.get(field) ?? '') !== '');
  return (
    <fieldset>
      <legend>How</legend>
      <div class="function-form">
        <Flag {...props} field="enabled" standard="True" />
        <Flag {...props} field="run_on_start" standard="False" hint="also when the minion starts" />
        <Text
          {...props}
          field="splay.start"
          label="splay, at least"
          isNumber
          placeholder="1"
          hint="seconds"
        />
        <Text
          {...props}
          field="splay.end"
          label="splay, at most"
          isNumber
          hint="put off by so many seconds"
        />
        <Text
          {...props}
          field="maxrunning"
          label="maxrunning"
          isNumber
          placeholder="1"
          hint="runs at a time"
        />
        <Flag {...props} field="return_job" standard="True" hint="send the return to the master" />
        <Text {...props} field="returner" label="returner" placeholder="mysql" hint="also send it there" />
        <details class="more-options" open={isOpen}>
          <summary>Ranges and more</summary>
          <div class="function-form">
            <Text {...props} field="range.start" label="range, start" placeholder="8:00am" />
            <Text
              {...props}
              field="range.end"
              label="range, end"
              placeholder="5:00pm"
              hint="only between them"
            />
            <Flag {...props} field="range.invert" standard="False" hint="only outside of them" />
            <Text {...props} field="skip_during_range.start" label="skip_during_range, start" />
            <Text
              {...props}
              field="skip_during_range.end"
              label="skip_during_range, end"
              hint="not between them"
            />
            <Flag {...props} field="run_after_skip_range" standard="False" hint="once when that is over" />
            <Text {...props} field="after" label="after" hint="not before this time" />
            <Text {...props} field="until" label="until" hint="not after this time" />
            <Flag {...props} field="jid_include" standard="True" hint="count runs for maxrunning" />
            <Text {...props} field="metadata" label="metadata" placeholder='{"ticket": "4711"}' hint="JSON" />
            <Text {...props} field="return_config" label="return_config" />
            <Text {...props} field="return_kwargs" label="return_kwargs" hint="JSON" />
          </div>
        </details>
      </div>
    </fieldset>
  );
}

/** A form with another text in one field. */
function withField(form: JobForm, field: string, text: string): JobForm {
  return { ...form, fields: new Map(form.fields).set(field, text) };
}

function Text(
  props: FieldsProps & {
    field: string;
    label: string;
    isNumber?: boolean;
    placeholder?: string;
    hint?: string;
  },
): JSX.Element {
  const { form, onChange, field, label, isNumber = false, placeholder, hint } = props;
  return (
    <label class="field">
      <span class="mono">{label}</span>
      <input
        class="mono"
        type="text"
        inputMode={isNumber ? 'numeric' : 'text'}
        autoComplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={form.fields.get(field) ?? ''}
        onInput={(event) => onChange(withField(form, field, event.currentTarget.value))}
      />
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}

function Flag(props: FieldsProps & { field: string; standard: string; hint?: string }): JSX.Element {
  const { form, onChange, field, standard, hint } = props;
  return (
    <label class="field">
      <span class="mono">{field.replace('.', ', ')}</span>
      <select
        value={form.fields.get(field) ?? ''}
        onChange={(event) => onChange(withField(form, field, event.currentTarget.value))}
      >
        <option value="">{standard} (default)</option>
        <option value="True">True</option>
        <option value="False">False</option>
      </select>
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}
