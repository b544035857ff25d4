/** What goes wrong in templates, by the classes that decide Salt's sentence about it (jinja2/exceptions.py 3.1). */
import { describeOsError, PythonError } from '../../python/exceptions.ts';
import { PatternError } from '../../python/regex/pattern.ts';

/** Where in a template something went wrong. */
export interface TemplatePlace {
  readonly line: number;
  /** The template's file, or undefined for the text that was handed in. */
  readonly path: string | undefined;
  /** The template's source, for the excerpt. */
  readonly source: string;
}

/** Base of everything a template raises. `place` is filled in by the innermost template function it passes. */
export abstract class JinjaError extends Error {
  place: TemplatePlace | undefined;
}

/** The template cannot be read. */
export class TemplateSyntaxError extends JinjaError {
  override readonly name: string = 'TemplateSyntaxError';
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Something that cannot be done while rendering. */
export class TemplateRuntimeError extends JinjaError {
  override readonly name: string = 'TemplateRuntimeError';
}

/** An undefined value was used. */
export class UndefinedError extends TemplateRuntimeError {
  override readonly name = 'UndefinedError';
}

/** The sandbox refuses an attribute. */
export class SecurityError extends TemplateRuntimeError {
  override readonly name = 'SecurityError';
}

/** A template that is included, imported or extended does not exist. */
export class TemplateNotFoundError extends JinjaError {
  override readonly name = 'TemplateNotFoundError';
}

/**
 * Anything else thrown by what a template called, an exception of Python above all, with the place where it was called.
 */
export class CalledFailure extends JinjaError {
  override readonly name = 'CalledFailure';
  constructor(cause: unknown) {
    super(
      cause instanceof PatternError
        ? cause.pythonMessage
        : cause instanceof Error
          ? (describeOsError(cause)?.message ?? cause.message)
          : String(cause),
      { cause },
    );
  }
}

export const typeError = (message: string): PythonError => new PythonError('TypeError', message);
export const representerError = (message: string): PythonError =>
  new PythonError('RepresenterError', message);
export const valueError = (message: string): PythonError => new PythonError('ValueError', message);
