/** The documentation of the function that is about to be run. */
import type { JSX } from 'preact';
import type { FunctionDetail } from '../model/contract.ts';
import { DocText } from '../parts/doc-text.tsx';

/** The column beside the form. */
export function FunctionDoc({
  detail,
  fun,
}: {
  detail: FunctionDetail | undefined;
  fun: string;
}): JSX.Element {
  if (detail === undefined)
    return (
      <aside class="function-doc" aria-label="Documentation">
        <p class="faint">
          {fun === ''
            ? 'Choose a function, and what it does and takes is shown here.'
            : 'There is no description of this function.'}
        </p>
      </aside>
    );
  return (
    <aside class="function-doc" aria-label="Documentation">
      <h2 class="mono">{detail.name}</h2>
      {detail.changes === false ? (
        <span class="tag">reads only</span>
      ) : detail.changes === true ? (
        <span class="tag warn">changes the minion</span>
      ) : null}
      <p class="doc">
        <DocText doc={detail.doc === '' ? detail.summary : detail.doc} />
      </p>
      {detail.examples.length > 0 ? (
        <>
          <h3>Examples</h3>
          <pre class="mono" tabIndex={0} aria-label="Examples">
            {detail.examples.join('\n')}
          </pre>
        </>
      ) : null}
    </aside>
  );
}
