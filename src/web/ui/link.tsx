import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { siteHref } from './paths.ts'
import { usePage } from './page-context.ts'

interface AnchorProps {
  readonly title?: string | undefined
  readonly rel?: string | undefined
  readonly id?: string | undefined
  readonly download?: string | boolean | undefined
  readonly target?: '_blank' | undefined
  readonly 'aria-current'?: 'page' | 'true' | 'step' | undefined
  readonly 'aria-label'?: string | undefined
}
type Marks = Readonly<Record<`data-${string}`, string | number | undefined>>

export interface LinkProps extends AnchorProps {
  /** Path below the site root, from `pathOf`. */
  readonly to: string
  readonly class?: string | undefined
  readonly children?: ComponentChildren
}

/** A link to a page of this site. */
export const Link = ({ to, children, ...rest }: LinkProps & Marks) => (
  <a href={siteHref(usePage().config, to)} {...rest}>
    {children}
  </a>
)

/** A link that looks like a button. `primary` appears once on a page. */
export const ButtonLink = ({
  kind = 'plain',
  icon,
  class: more = '',
  children,
  ...rest
}: LinkProps & Marks & { readonly kind?: 'plain' | 'primary' | 'quiet'; readonly icon?: IconName | undefined }) => (
  <Link {...rest} class={`button ${kind} ${more}`.trim()}>
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </Link>
)

/** A link to a feed, where the instance has feeds. */
export const FeedLink = ({ to }: { readonly to: string }) =>
  usePage().config.other.enableFeed ? (
    <Link class="muted" to={to} aria-label="Atom" title="Atom" data-turbo="false">
      <Icon name="rss" />
    </Link>
  ) : null

/** A link to another site; it passes neither the address of this page nor a reputation. */
export const OutsideLink = ({ href, children, ...rest }: Omit<LinkProps, 'to'> & { readonly href: string }) => {
  const isSafe = /^(https?|mailto|ssh|git):/i.test(href)
  return isSafe ? (
    <a href={href} rel="nofollow noopener noreferrer" {...rest}>
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )
}
