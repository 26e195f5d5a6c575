import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { Link } from './link.tsx'
import { usePage } from './page-context.ts'
import { changedQuery } from './paths.ts'
import { numberText, shortNumber } from '../languages/amounts.ts'
import { uiTexts as texts } from '../languages/texts.ts'

/** The heading of a page with its acts. */
export const PageHead = ({
  title,
  lead,
  children,
}: {
  readonly title: ComponentChildren
  /** A sentence below the title. */
  readonly lead?: ComponentChildren
  /** Buttons. */
  readonly children?: ComponentChildren
}) => (
  <div class="page-head">
    <div>
      <h1>{title}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </div>
    {children === undefined || children === null ? null : <div class="acts">{children}</div>}
  </div>
)

export type Tone = 'neutral' | 'accent' | 'good' | 'warning' | 'danger' | 'done'

/** A short word about a thing, such as `Private`. */
export const Tag = ({
  tone = 'neutral',
  icon,
  title,
  children,
}: {
  readonly tone?: Tone
  readonly icon?: IconName
  readonly title?: string | undefined
  readonly children: ComponentChildren
}) => (
  <span class={`tag ${tone}`} title={title}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </span>
)

/** A state with its colour and icon, such as `Open`. */
export const State = ({
  tone,
  icon,
  children,
}: {
  readonly tone: Tone
  readonly icon: IconName
  readonly children: ComponentChildren
}) => (
  <span class={`state ${tone}`}>
    <Icon name={icon} />
    {children}
  </span>
)

/** A number beside a word. */
export const Counter = ({ count, isBounded = false }: { readonly count: number; readonly isBounded?: boolean }) => (
  <span class="counter" title={count >= 1000 ? numberText(count) : undefined}>
    {shortNumber(count)}
    {isBounded ? '+' : ''}
  </span>
)

/** The content of an empty list: what belongs here and how to begin. */
export const Empty = ({
  icon,
  title,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} size={24} />
    <h2>{title}</h2>
    {children}
  </div>
)

/** A bordered list or section with an optional head line. */
export const Box = ({
  head,
  foot,
  class: more = '',
  children,
  id,
}: {
  readonly head?: ComponentChildren
  readonly foot?: ComponentChildren
  readonly class?: string
  readonly id?: string
  readonly children?: ComponentChildren
}) => (
  <div class={`box ${more}`.trim()} id={id}>
    {head === undefined ? null : <div class="box-head">{head}</div>}
    {children}
    {foot === undefined ? null : <div class="box-foot">{foot}</div>}
  </div>
)

export interface Tab {
  readonly label: string
  readonly to: string
  readonly icon?: IconName
  readonly count?: number | undefined
  /** The count is a lower bound. */
  readonly isCountBounded?: boolean | undefined
  readonly isCurrent: boolean
  /** Shortcut, such as `g i`. */
  readonly hotkey?: string
}

/** A row of tabs below a heading. Each leads to a page. */
export const Tabs = ({
  label,
  tabs,
  class: more = '',
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly class?: string
}) => (
  <nav class={`tabs ${more}`.trim()} aria-label={label}>
    <ul>
      {tabs.map((tab) => (
        <li>
          <Link to={tab.to} aria-current={tab.isCurrent ? 'page' : undefined} data-hotkey={tab.hotkey}>
            {tab.icon === undefined ? null : <Icon name={tab.icon} />}
            {tab.label}
            {tab.count === undefined || tab.count === 0 ? null : (
              <Counter count={tab.count} isBounded={tab.isCountBounded === true} />
            )}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

/**
 * A list of links at the side, for settings. On a narrow window it is a menu whose button names the current page; the style
 * sheet shows the content of the closed menu on a wide one.
 */
export const SideMenu = ({
  label,
  groups,
}: {
  readonly label: string
  readonly groups: readonly { readonly title?: string; readonly items: readonly Tab[] }[]
}) => {
  const current = groups.flatMap(({ items }) => items).find(({ isCurrent }) => isCurrent)
  return (
    <details class="menu page-menu">
      <summary class="button">
        {current?.icon === undefined ? null : <Icon name={current.icon} />}
        <span>{current?.label ?? label}</span>
        <Icon name="chevron-down" />
      </summary>
      <nav class="menu-panel side-menu" aria-label={label}>
        {groups.map((group) => (
          <>
            {group.title === undefined ? null : <h2>{group.title}</h2>}
            <ul>
              {group.items.map((item) => (
                <li>
                  <Link to={item.to} aria-current={item.isCurrent ? 'page' : undefined}>
                    {item.icon === undefined ? null : <Icon name={item.icon} />}
                    {item.label}
                    {item.count === undefined || item.count === 0 ? null : <Counter count={item.count} />}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        ))}
      </nav>
    </details>
  )
}

/** A button that opens a panel. It works without scripts. */
export const Menu = ({
  label,
  title,
  class: more = '',
  align = 'start',
  kind = 'plain',
  isOpen,
  hotkey,
  children,
}: {
  /** Content of the button. */
  readonly label: ComponentChildren
  /** Name of the button for screen readers, when its content is an icon. */
  readonly title?: string
  readonly class?: string
  readonly align?: 'start' | 'end'
  /** `danger` is for an act at the end of a row. */
  readonly kind?: 'plain' | 'primary' | 'quiet' | 'bare' | 'danger'
  /** The form in the panel was refused. */
  readonly isOpen?: boolean
  /** Keys that open it. */
  readonly hotkey?: string
  readonly children: ComponentChildren
}) => (
  <details class={`menu ${align} ${more}`.trim()} open={isOpen}>
    <summary
      class={kind === 'bare' ? undefined : kind === 'danger' ? 'button danger small' : `button ${kind}`}
      aria-label={title}
      title={title}
      data-hotkey={hotkey}
    >
      {label}
    </summary>
    <div class="menu-panel">{children}</div>
  </details>
)

/** Acts in a row; on a narrow window they are the panel of a menu. */
export const NarrowMenu = ({
  title,
  label,
  class: more = '',
  children,
}: {
  /** Name of the menu's button. */
  readonly title: string
  /** Content of the button; the default is an icon. */
  readonly label?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  <details class={`menu end narrow-menu ${more}`.trim()}>
    {label === undefined ? (
      <summary class="button quiet icon-only" aria-label={title} title={title}>
        <Icon name="kebab-horizontal" />
      </summary>
    ) : (
      <summary class="button quiet" title={title}>
        {label}
      </summary>
    )}
    <div class="menu-panel">{children}</div>
  </details>
)

/** A field that filters the rows of a menu's list; it needs scripts. */
export const MenuFilter = ({ list, label }: { readonly list: string; readonly label: string }) => (
  <div class="menu-filter needs-script">
    <input type="search" placeholder={label} aria-label={label} data-filter-list={`#${list}`} autofocus />
  </div>
)

/** The links to other pages of a list. */
export function Pages({
  page,
  total,
  pageSize,
  isLast = total !== undefined && pageSize !== undefined && page * pageSize >= total,
  next,
}: {
  /** From 1. */
  readonly page: number
  /** By default it follows from the number of rows. */
  readonly isLast?: boolean
  /** Number of rows, if known. */
  readonly total?: number | undefined
  readonly pageSize?: number
  /** Address of the next page, if it has a cursor. */
  readonly next?: string | undefined
}) {
  const { url } = usePage()
  if (page === 1 && isLast) return null
  const last = total === undefined || pageSize === undefined ? undefined : Math.max(1, Math.ceil(total / pageSize))
  const addressOf = (number: number) => changedQuery(url, { page: number === 1 ? undefined : number })
  const numbers =
    last === undefined
      ? [page]
      : [...new Set([1, page - 2, page - 1, page, page + 1, page + 2, last])]
          .filter((number) => number >= 1 && number <= last)
          .toSorted((a, b) => a - b)
  return (
    <nav class="pages" aria-label={texts.pages}>
      {page === 1 ? (
        <span class="button quiet" aria-disabled="true">
          {texts.previous}
        </span>
      ) : (
        <Link class="button quiet" rel="prev" to={addressOf(page - 1)}>
          {texts.previous}
        </Link>
      )}
      {numbers.map((number, index) => (
        <>
          {index > 0 && number - (numbers[index - 1] ?? number) > 1 ? <span class="gap">…</span> : null}
          <Link
            class="button quiet number"
            to={addressOf(number)}
            aria-label={texts.page(number)}
            aria-current={number === page ? 'page' : undefined}
          >
            {number}
          </Link>
        </>
      ))}
      {isLast ? (
        <span class="button quiet" aria-disabled="true">
          {texts.next}
        </span>
      ) : (
        <Link class="button quiet" rel="next" to={next ?? addressOf(page + 1)}>
          {texts.next}
        </Link>
      )}
    </nav>
  )
}

/** A command or address with a button that copies it. */
export const CopyField = ({
  text,
  label,
  id,
}: {
  readonly text: string
  readonly label: string
  readonly id?: string
}) => (
  <div class="copy-field">
    <input type="text" readonly value={text} aria-label={label} id={id} />
    <CopyButton text={text} label={label} />
  </div>
)

/** A button that copies a text. It is useful with scripts only. */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <button
    type="button"
    class="button quiet icon-only needs-script"
    data-copy={text}
    aria-label={`${texts.copy}: ${label}`}
    title={texts.copy}
  >
    <Icon name="copy" />
  </button>
)

/** Commands to run in a terminal. */
export const Commands = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div class="commands">
    <pre tabIndex={0} aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={label} />
  </div>
)

/** A message about the page. */
export const Flash = ({
  tone,
  children,
}: {
  readonly tone: 'problem' | 'done' | 'info' | 'warning'
  readonly children: ComponentChildren
}) => (
  <div class={`flash ${tone}`} role={tone === 'problem' ? 'alert' : 'status'}>
    <Icon name={tone === 'done' ? 'check-circle' : tone === 'info' ? 'info' : 'alert'} />
    <div>{children}</div>
  </div>
)

/** A part done of a whole. */
export const Progress = ({
  done,
  total,
  label,
}: {
  readonly done: number
  readonly total: number
  readonly label: string
}) => <progress class="progress" value={done} max={Math.max(1, total)} aria-label={label} />

/** HTML that the text renderer has sanitised. */
export const Markup = ({ html, class: more = '' }: { readonly html: string; readonly class?: string }) => (
  <div class={`markdown ${more}`.trim()} dangerouslySetInnerHTML={{ __html: html }} />
)

/** Such HTML of a text without blocks. */
export const InlineMarkup = ({ html }: { readonly html: string }) => <span dangerouslySetInnerHTML={{ __html: html }} />
