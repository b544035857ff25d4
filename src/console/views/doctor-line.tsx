/** What is wrong with the fleet, in one line; its findings with their remedies behind it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { every } from '../model/clock.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useApp } from '../state/app.ts';
import { useLoaded } from '../state/loading.ts';

const LOOK_MS = 30_000;

/** The line; nothing for whoever may not ask. */
export function DoctorLine(): JSX.Element | null {
  const app = useApp();
  const [tick, setTick] = useState(0);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => every(LOOK_MS, () => setTick((n) => n + 1)), []);
  const can = app.session.can('doctor.get');
  const { data } = useLoaded(can ? () => app.server.doctor() : undefined, [tick, can]);
  if (data === undefined) return null;
  if (data.state === 'well')
    return (
      <span class="doctor well">
        <Icon name="check" /> The fleet is well
      </span>
    );
  return (
    <>
      <button type="button" class={`doctor ${data.state}`} onClick={() => setOpen(true)}>
        <Icon name="warn" /> {data.findings.length} {data.findings.length === 1 ? 'finding' : 'findings'}
      </button>
      {isOpen ? (
        <Dialog title="What is wrong" onClose={() => setOpen(false)} kind="wide">
          <ul class="findings">
            {data.findings.slice(0, 100).map(({ code, who, what, why, next, severity }) => (
              <li key={`${code} ${who ?? ''}`} class={severity}>
                <strong>
                  {who === null ? '' : `${who}: `}
                  {what}
                </strong>
                <p>{why}</p>
                <p>{next}</p>
              </li>
            ))}
          </ul>
          <div class="buttons">
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
