import type { ComponentChildren } from 'preact'
import { versionName, writeVersion, type StoredFields } from './edited-form.ts'
import { OthersValue } from './field.tsx'
import { formScope, textOf, type Marks } from './form-state.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { csrfName, onceName, usePage, type RefusedForm } from './page-context.ts'
import { siteHref } from './paths.ts'

export interface FormProps {
  /** Path below the site root. */
  readonly to: string
  /** `get` for filters and searches. */
  readonly method?: 'post' | 'get'
  readonly hidden?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly class?: string | undefined
  readonly id?: string | undefined
  /** The form contains files. */
  readonly files?: boolean
  /** The form edits what exists; its act declares `edits`. */
  readonly isEdit?: boolean
  /** A question to confirm before the form is sent. */
  readonly confirm?: string | undefined
  readonly label?: string | undefined
  /** For a search landmark. */
  readonly role?: 'search' | undefined
  readonly children: ComponentChildren
}

/** Returns whether a form is the refused one. Forms of a list differ in their hidden fields only. */
const isSame = (refused: RefusedForm | undefined, to: string, hidden: NonNullable<FormProps['hidden']>): boolean =>
  refused?.action === to &&
  Object.entries(hidden).every(([name, value]) => {
    const sent = textOf(refused.values[name])
    return value === undefined || sent === undefined || sent === String(value)
  })

/** What somebody else stored meanwhile in fields that do not show it themselves, such as a list of boxes. */
const FurtherOthers = ({ others }: { readonly others: ReadonlyMap<string, string> }) => (
  <>
    {[...others.keys()].map((name) => (
      <OthersValue name={name} id={name} />
    ))}
  </>
)

/** The digests of the fields of a form, rendered after them. */
const Version = ({ stored }: { readonly stored: StoredFields }) => (
  <input type="hidden" name={versionName} value={writeVersion(stored)} data-version="" />
)

/**
 * A form, protected against cross-site request forgery. When it was refused, it shows the problem and the sent values.
 */
export function Form({
  to,
  method = 'post',
  hidden = {},
  isEdit = false,
  files,
  confirm,
  label,
  children,
  ...rest
}: FormProps & Marks) {
  const page = usePage()
  const refused = method === 'post' && isSame(page.refused, to, hidden) ? page.refused : undefined
  const problem = refused?.problem
  for (const name of Object.keys(hidden)) refused?.whenFilled?.(name)
  const stored: StoredFields | undefined = isEdit ? new Map() : undefined
  const others = refused?.others && new Map(refused.others)
  if (stored !== undefined) page.whenEdited?.(to, stored)
  if (problem !== undefined && problem.field === undefined) refused?.whenShown?.()
  return (
    <form
      method={method}
      action={siteHref(page.config, to)}
      {...(files ? { enctype: 'multipart/form-data' } : {})}
      {...(confirm === undefined ? {} : { 'data-confirm': confirm })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...rest}
    >
      {method === 'post' ? <input type="hidden" name={csrfName} value={page.csrf} /> : null}
      {refused?.values[onceName] === undefined ? null : (
        <input type="hidden" name={onceName} value={textOf(refused.values[onceName])} />
      )}
      {Object.entries(hidden).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={String(value)} />,
      )}
      {problem !== undefined && problem.field === undefined ? (
        <p class="flash problem" role="alert">
          <Icon name="alert" />
          <span>
            {problem.message}
            {problem.help ? (
              <>
                {' '}
                <Link to={problem.help.to}>{problem.help.label}</Link>
              </>
            ) : null}
          </span>
        </p>
      ) : null}
      {refused === undefined && stored === undefined ? (
        children
      ) : (
        <formScope.Within
          value={{
            problem,
            values: refused?.values ?? {},
            whenShown: refused?.whenShown,
            whenFilled: refused?.whenFilled,
            others,
            stored,
          }}
        >
          {children}
          {others === undefined ? null : <FurtherOthers others={others} />}
        </formScope.Within>
      )}
      {stored === undefined ? null : <Version stored={stored} />}
    </form>
  )
}
