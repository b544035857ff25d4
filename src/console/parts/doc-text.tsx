/** A description with its code in letters of its own, in place of backticks. */
import type { JSX } from 'preact';
import { docPieces } from '../model/doc-text.ts';

/** The pieces of the description. */
export function DocText({ doc }: { doc: string }): JSX.Element {
  return (
    <>
      {docPieces(doc).map(({ text, isCode }, nth) =>
        isCode ? (
          <code class="mono" key={nth}>
            {text}
          </code>
        ) : (
          text
        ),
      )}
    </>
  );
}
