/** The template engine: Jinja2 3.1 as Salt 3006 configures it. */
export { RenderBudget, type RenderLimits } from './budget.ts';
export { TemplateCache, compileTemplate } from './compile.ts';
export { Environment, type LoadedTemplate, type TemplateLoader } from './environment.ts';
export { native } from './bind.ts';
export {
  CalledFailure,
  JinjaError,
  TemplateNotFoundError,
  TemplateSyntaxError,
  UndefinedError,
} from './errors.ts';
export {
  TFunction,
  TObject,
  type CallScope,
  tuple,
  type Callable,
  type Kwargs,
  type Later,
  type NativeBody,
  type TValue,
} from './model.ts';
export { Undefined } from './undefined.ts';
export { DEFAULT_OPTIONS, jinjaOptions, type JinjaOptions } from './options.ts';
export { asksFor, operated } from './asking.ts';
export { fromHandedOn, toHandedOn } from './handed-on.ts';
export { toValue } from './plain.ts';
export { parseTemplate } from './parse.ts';
export { renderJinja, RenderError, type RenderRequest } from './render.ts';
export { saltLoader, type FoundFile, type ReadTemplate } from './salt-loader.ts';
export { compileWithMarks, takeMarks } from './line-marks.ts';
export { excerpt } from './excerpt.ts';
