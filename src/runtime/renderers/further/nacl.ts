/** The nacl renderer: texts `NACL[…]` become what was sealed, by `nacl.dec` (3006.16 salt/renderers/nacl.py). */
import { messageOf } from '../../../errors/errors.ts';
import { SaltRenderError, type RendererSpec } from '../renderer.ts';
import { mapTexts, refuseIfSent } from '../sent-by-minion.ts';

const SEALED = /^NACL\[(.*)\]$/m;

/**
 * Opens each text that is a box, with the key of the option `nacl.config`.
 * @throws SaltRenderError when one cannot be opened
 */
export const naclRenderer: RendererSpec = {
  name: 'nacl',
  doc: 'Decrypts texts that were encrypted with NaCl, wherever they stand in the data.',
  make: () => (input, context) =>
    mapTexts(input, async (text) => {
      const box = SEALED.exec(text)?.[1];
      if (box === undefined) return text;
      refuseIfSent(box.replace(/\s+/g, ''), context);
      try {
        return await context.functions.call('nacl.dec', [box], new Map());
      } catch (error) {
        throw new SaltRenderError(`A text NACL[…] cannot be decrypted: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }),
};
