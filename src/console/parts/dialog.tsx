/** Questions over the page: the browser's own dialog, which keeps the focus and closes with Escape. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from './problem.tsx';

/** A dialog that is open as long as it is there. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  kind?: string;
  /** False for one that must be answered. */
  canClose?: boolean;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${props.kind ?? ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (props.canClose !== false) props.onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current && props.canClose !== false) props.onClose();
      }}
    >
      <div class="dialog-inner">
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** Asks before something is done that cannot be taken back. */
export function Confirm(props: {
  title: string;
  children: ComponentChildren;
  action: string;
  isDangerous?: boolean;
  /** What is asked is not known yet. */
  isWaiting?: boolean;
  onDo: () => Promise<void>;
  onClose: () => void;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const act = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await props.onDo();
      props.onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={props.isDangerous === true ? 'danger' : 'primary'}
          disabled={isBusy || props.isWaiting === true}
          onClick={() => void act()}
        >
          {props.action}
        </button>
      </div>
    </Dialog>
  );
}
