import type { Viewer } from '../../auth/viewer.ts'
import type { CacheBudget } from '../../lib/cache-budget.ts'
import type { Config } from '../../config/load-config.ts'
import { WorkTooCostly, type WorkBudget } from '../../lib/work-budget.ts'
import type { Unix } from '../../lib/time.ts'
import type { LinkedMessages } from '../../site/render.service.ts'
import type { IconSet } from './icons.ts'
import type { StoredFields } from './edited-form.ts'
import { createScope } from './scope.tsx'

/** Name of the cookie and the hidden field against cross-site request forgery. */
export const csrfName = '_csrf'

/** Name of the field with the key of a form that is sent once. Scripts fill it (`src/web/browser/sending.ts`). */
export const onceName = '_once'

/** A problem with a form or one of its fields. */
export interface Problem {
  /** Name of the field; undefined for the whole form. */
  readonly field?: string | undefined
  /** A sentence. */
  readonly message: string
  /** The page that helps. */
  readonly help?: Help | undefined
}

/** A link to a page that helps with a problem. */
export interface Help {
  readonly label: string
  /** Path below the site root. */
  readonly to: string
}

/** A form whose page is shown again with what was sent, and with the problem when it was refused. */
export interface RefusedForm {
  /** Path of the form below the site root. */
  readonly action: string
  /** Status of the refusal. */
  readonly status?: number | undefined
  readonly problem?: Problem | undefined
  readonly values: Readonly<Record<string, unknown>>
  /** What somebody else stored meanwhile in fields that the sender changed too, for readers, by name. */
  readonly others?: ReadonlyMap<string, string> | undefined
  /** Called when a part of the page shows the message. */
  readonly whenShown?: () => void
  /** Called when a control of the form is shown with what was sent by its name. */
  readonly whenFilled?: (name: string) => void
}

/** What every part of a page may use. */
export interface PageFacts {
  readonly config: Config
  /** Value of the hidden field of forms. */
  readonly csrf: string
  readonly viewer: Viewer | undefined
  /** Path and query of the page below the site root. */
  readonly url: string
  readonly nowUnix: Unix
  /** Returns the address of an asset. */
  readonly asset: (name: AssetName) => string
  readonly refused?: RefusedForm | undefined
  /** Called with the stored fields of each rendered form that edits, before they are filled. */
  readonly whenEdited?: ((action: string, stored: StoredFields) => void) | undefined
  /** The messages of commits that have links, in parts. */
  readonly messages?: LinkedMessages | undefined
  /** What the request may still use up. */
  readonly budget: WorkBudget
  /** Of the application; undefined on pages of errors. */
  readonly caches?: CacheBudget | undefined
  /** How often parts of the page have asked for its facts. */
  readonly factReads: { count: number }
}

/** The files that pages name. The scripts are modules. */
export type AssetName =
  | 'forge.css'
  | 'further.css'
  | 'forge.js'
  | 'editor.js'
  | 'diagram-frame.html'
  | 'diagram-library.js'
  | `${IconSet}.svg`

export const pageScope = createScope<PageFacts | undefined>(undefined)

/**
 * Most parts of a page that ask for its facts. Each is at least a link or a time, so more of them exceed the size of an
 * answer (`maxAnswerBytes`), and rendering ends here instead of at its end.
 */
export const maxPageParts = 100_000

/** Returns the facts of the surrounding page. Throws `WorkTooCostly` when the page is too large. */
export function usePage(): PageFacts {
  const facts = pageScope.current()
  if (facts === undefined) throw new Error('a part of a page is rendered outside of a page')
  facts.factReads.count += 1
  if (facts.factReads.count > maxPageParts) throw new WorkTooCostly('outputBytes')
  return facts
}
