/** A question that a view asks before it does something, and what is done then. */
import type { JSX } from 'preact';
import { Confirm } from './dialog.tsx';

/** What is asked before it is done. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly act: () => Promise<void>;
}

/** The question over the page; nothing when none is asked. */
export function AskedDialog({
  asked,
  onClose,
}: {
  asked: Asked | undefined;
  onClose: () => void;
}): JSX.Element | null {
  if (asked === undefined) return null;
  return (
    <Confirm title={asked.title} action={asked.action} isDangerous onClose={onClose} onDo={asked.act}>
      <p>{asked.text}</p>
    </Confirm>
  );
}
