/** Calls that are kept under a name, on the server: one's own, and those that are shared. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Template, TemplateCall } from '../model/contract.ts';
import { AskedDialog, type Asked } from '../parts/asked.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { messageOf, Problem } from '../parts/problem.tsx';
import { useApp, type App } from '../state/app.ts';
import { browserTemplates, keepInBrowser } from '../state/browser-templates.ts';
import { useLoaded } from '../state/loading.ts';

interface TemplatesProps {
  readonly current: TemplateCall;
  readonly onTake: (call: TemplateCall) => void;
}

/** The button, and the dialog that it opens. */
export function Templates(props: TemplatesProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Templates
      </button>
      {isOpen ? <TemplatesDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function TemplatesDialog({
  current,
  onTake,
  onClose,
}: TemplatesProps & { onClose: () => void }): JSX.Element {
  const app = useApp();
  const { data, error, reload } = useLoaded(() => app.server.templates(), []);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const act = (what: () => Promise<unknown>): void => {
    setProblem(undefined);
    void what()
      .catch((failed: unknown) => setProblem(messageOf(failed)))
      .then(reload);
  };
  const remove = (template: Template): Promise<void> => app.server.deleteTemplate(template).finally(reload);
  const items = data?.items ?? [];
  return (
    <Dialog title="Templates" onClose={onClose}>
      <p class="faint">
        Calls that you use again. They are kept on the server; do not put secrets into them.
      </p>
      <Problem error={error} onRetry={reload} />
      <ul class="templates">
        {items.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              class="quiet text grow"
              onClick={() => {
                onTake(each.call);
                onClose();
              }}
            >
              <strong>{each.name}</strong> <span class="mono faint">{each.call.fun}</span>
              {each.shared ? <span class="tag">shared by {each.owner}</span> : null}
            </button>
            {each.mine ? (
              <button
                type="button"
                class="quiet text"
                aria-label={`Remove ${each.name}`}
                onClick={() =>
                  each.shared ? setAsked(removalOf(each, () => remove(each))) : act(() => remove(each))
                }
              >
                {each.shared ? 'Remove…' : 'Remove'}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {data !== undefined && items.length === 0 ? <p>There are none yet.</p> : null}
      <MoveFromBrowser onMoved={reload} />
      {current.fun === '' ? null : (
        <KeepForm items={items} current={current} act={act} ask={setAsked} onKept={reload} />
      )}
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />
    </Dialog>
  );
}

function removalOf({ name }: Template, act: () => Promise<void>): Asked {
  return {
    title: `Remove the template ${name} for everybody?`,
    text: 'It is shared: everybody who may log in has it in this list, and nobody has it any more.',
    action: 'Remove',
    act,
  };
}

function replacementOf({ name, call }: Template, act: () => Promise<void>): Asked {
  return {
    title: `Replace the template ${name} for everybody?`,
    text: `It is shared, and calls ${call.fun} now. Everybody who may log in gets what is in the form in its place.`,
    action: 'Replace',
    act,
  };
}

function KeepForm({
  items,
  current,
  act,
  ask,
  onKept,
}: {
  items: readonly Template[];
  current: TemplateCall;
  act: (what: () => Promise<unknown>) => void;
  ask: (asked: Asked) => void;
  onKept: () => void;
}): JSX.Element {
  const app = useApp();
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const there = items.find((each) => each.name === name && each.shared === isShared);
  const keep = async (): Promise<void> => {
    const { version } = there ?? {};
    const template = { name, call: current, ...(version === undefined ? {} : { version }) };
    await app.server.keepTemplate(template, isShared);
    setName('');
    onKept();
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (there?.shared === true) ask(replacementOf(there, keep));
        else act(keep);
      }}
    >
      <label class="field grow">
        <span>Keep the form as</span>
        <input
          type="text"
          required
          maxLength={80}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {app.session.can('templates.share') ? (
        <label class="check">
          <input
            type="checkbox"
            checked={isShared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          for everybody
        </label>
      ) : null}
      <button type="submit">{there === undefined ? 'Keep' : 'Replace'}</button>
    </form>
  );
}

/** What an earlier version has kept in this browser. */
function MoveFromBrowser({ onMoved }: { onMoved: () => void }): JSX.Element | null {
  const app = useApp();
  const [list, setList] = useState(browserTemplates);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  if (list.length === 0) return null;
  const move = async (): Promise<void> => {
    setBusy(true);
    setFailures(await moveAll(app, list));
    setList(browserTemplates());
    setBusy(false);
    onMoved();
  };
  return (
    <div class="card">
      <div class="row">
        <span class="grow">
          {list.length === 1 ? 'One template is' : `${list.length} templates are`} in this browser only.
        </span>
        <button type="button" disabled={isBusy} onClick={() => void move()}>
          Move to the server
        </button>
      </div>
      {failures.map((each) => (
        <p key={each} class="problem-text" role="alert">
          {each}
        </p>
      ))}
    </div>
  );
}

/** What cannot be kept on the server stays in the browser. @returns why, for each */
async function moveAll(app: App, list: ReturnType<typeof browserTemplates>): Promise<string[]> {
  const failures = new Map<string, string>();
  for (const each of list)
    await app.server.keepTemplate(each, false).catch((error: unknown) => {
      failures.set(each.name, `${each.name} stays here: ${messageOf(error)}`);
    });
  keepInBrowser(new Set(failures.keys()));
  return [...failures.values()];
}
