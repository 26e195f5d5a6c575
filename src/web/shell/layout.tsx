import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { ActButton } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { keptPart } from '../ui/kept-part.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Flash, Menu } from '../ui/parts.tsx'
import { pathOf, siteHref } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { Raw } from '../ui/raw.tsx'
import { ownNameOf } from '../../lib/language-tags.ts'
import type { Notice, Undo } from './notice.ts'
import { languageChoices } from '../languages/languages.ts'
import { readerLanguage } from '../languages/reader.ts'
import { shellTexts as texts } from '../languages/texts.ts'

export interface LayoutProps {
  readonly unreadCount: number
  /** Whether guests may sign up. */
  readonly offersSignUp: boolean
  /** What the previous act says. */
  readonly notice?: Notice | undefined
  /** What takes the previous act back. */
  readonly undo?: Undo | undefined
  /** Why a form was refused that the page does not contain. */
  readonly problem?: string | undefined
  /** What somebody typed into a form that the page does not contain. */
  readonly texts?: readonly string[] | undefined
  /** The page uses the whole width of the window. */
  readonly isWide?: boolean | undefined
  readonly children: ComponentChildren
}

/** The body of every page: navigation, content, footer. */
export const Layout = ({
  unreadCount,
  offersSignUp,
  notice,
  undo,
  problem,
  texts: typed = [],
  isWide,
  children,
}: LayoutProps) => (
  <body class={isWide ? 'wide' : undefined}>
    <a class="skip-link" href="#main-content">
      {texts.skip}
    </a>
    <SiteHeader unreadCount={unreadCount} offersSignUp={offersSignUp} />
    <main id="main-content" tabIndex={-1}>
      {problem === undefined ? null : (
        <div class="container">
          <Flash tone="problem">{problem}</Flash>
        </div>
      )}
      {notice === undefined ? null : (
        <div class="container">
          <Flash tone={notice.tone}>
            {notice.text}
            {undo === undefined ? null : (
              <>
                {' '}
                <ActButton to={undo.to} hidden={undo.fields} kind="quiet" class="small" icon="history">
                  {texts.undo}
                </ActButton>
              </>
            )}
          </Flash>
        </div>
      )}
      <TypedTexts texts={typed} />
      <Content>{children}</Content>
    </main>
    <Footer />
    <Dialogs />
  </body>
)

/** Texts that would be lost otherwise, to be copied. */
const TypedTexts = ({ texts: typed }: { readonly texts: readonly string[] }) =>
  typed.length === 0 ? null : (
    <section class="container stack tight" aria-labelledby="typed-texts">
      <h2 id="typed-texts">{texts.typedTexts}</h2>
      <p class="hint">{texts.typedTextsHint}</p>
      {typed.map((text, index) => (
        <textarea
          class="typed-text"
          id={`typed_text_${index + 1}`}
          aria-labelledby="typed-texts"
          rows={Math.min(12, text.split('\n').length + 1)}
          readonly
        >
          {text.startsWith('\n') ? `\n${text}` : text}
        </textarea>
      ))}
    </section>
  )

/** The content of the page, which is rendered first: only then is it known whether a part is plain. */
const Content = ({ children }: { readonly children: ComponentChildren }) => {
  const html = renderToString(<>{children}</>)
  return (
    <>
      {usePage().budget.refused.size === 0 ? null : (
        <div class="container">
          <Flash tone="info">{texts.plainPart}</Flash>
        </div>
      )}
      <Raw html={html} />
    </>
  )
}

const Brand = () => {
  const { config } = usePage()
  return (
    <Link class="brand" to="/" data-hotkey="g h">
      <img src={siteHref(config, '/assets/icon.svg')} width="24" height="24" alt="" />
      <span>{config.instance.appName}</span>
    </Link>
  )
}

const SiteSearch = keptPart(() => (
  <Form to="/search" method="get" role="search" class="site-search" label={texts.search}>
    <Icon name="search" />
    <input type="search" name="q" placeholder={texts.searchHint} aria-label={texts.search} data-hotkey="/" />
    <kbd class="needs-script">/</kbd>
  </Form>
))

const SiteHeader = ({ unreadCount, offersSignUp }: Pick<LayoutProps, 'unreadCount' | 'offersSignUp'>) => {
  const { viewer, url } = usePage()
  const isAt = (path: string) => (url.split('?', 1)[0] === path ? 'page' : undefined)
  return (
    <header class="site-header">
      <Brand />
      <nav class="site-nav" aria-label={texts.mainMenu}>
        {viewer ? (
          <>
            <Link to="/issues" aria-current={isAt('/issues')}>
              {texts.issues}
            </Link>
            <Link to="/pulls" aria-current={isAt('/pulls')}>
              {texts.pulls}
            </Link>
          </>
        ) : null}
        <Link to="/explore/repos" aria-current={isAt('/explore/repos')}>
          {texts.explore}
        </Link>
      </nav>
      <SiteSearch />
      <div class="site-tools">
        {viewer ? <PersonTools unreadCount={unreadCount} /> : <GuestTools offersSignUp={offersSignUp} />}
      </div>
    </header>
  )
}

const GuestTools = ({ offersSignUp }: { readonly offersSignUp: boolean }) => {
  const { url } = usePage()
  const back = url === '/' || url.startsWith('/user/') ? '' : `?redirect_to=${encodeURIComponent(url)}`
  return (
    <>
      <Link class="button quiet" to={`/user/login${back}`}>
        {texts.signIn}
      </Link>
      {offersSignUp ? (
        <Link class="button plain wide-only" to="/user/sign_up">
          {texts.signUp}
        </Link>
      ) : null}
    </>
  )
}

const MenuLink = ({
  to,
  icon,
  children,
}: {
  readonly to: string
  readonly icon: IconName
  readonly children: ComponentChildren
}) => (
  <li>
    <Link to={to}>
      <Icon name={icon} />
      {children}
    </Link>
  </li>
)

const PersonTools = ({ unreadCount }: { readonly unreadCount: number }) => {
  const { viewer, config } = usePage()
  if (!viewer) return null
  const { user } = viewer
  return (
    <>
      <Menu label={<Icon name="plus" />} title={texts.create} kind="quiet" align="end" class="icon-only">
        <ul>
          <MenuLink to="/repo/create" icon="repo">
            {texts.newRepository}
          </MenuLink>
          <MenuLink to="/repo/migrate" icon="repo-push">
            {texts.newMigration}
          </MenuLink>
          {mayCreateOrgs(config, user).allowed ? (
            <MenuLink to="/org/create" icon="organization">
              {texts.newOrganization}
            </MenuLink>
          ) : null}
        </ul>
      </Menu>
      <Link
        class="button quiet icon-only bell"
        to="/notifications"
        data-hotkey="g n"
        aria-label={unreadCount === 0 ? texts.notifications : texts.unread(unreadCount)}
        title={unreadCount === 0 ? texts.notifications : texts.unread(unreadCount)}
      >
        <Icon name="bell" />
        {unreadCount === 0 ? null : <span class="dot" />}
      </Link>
      <Menu
        label={<Avatar person={user} size={24} />}
        title={texts.account}
        kind="bare"
        align="end"
        class="account-menu"
      >
        <p class="menu-head">
          {texts.signedInAs} <strong>{user.name}</strong>
        </p>
        <ul class="narrow-only narrow-nav">
          <MenuLink to="/issues" icon="issue-opened">
            {texts.issues}
          </MenuLink>
          <MenuLink to="/pulls" icon="git-pull-request">
            {texts.pulls}
          </MenuLink>
          <MenuLink to="/explore/repos" icon="search">
            {texts.explore}
          </MenuLink>
        </ul>
        <ul>
          <MenuLink to={pathOf(user.name)} icon="person">
            {texts.profile}
          </MenuLink>
          {config.repository.disableStars ? null : (
            <MenuLink to={`${pathOf(user.name)}?tab=stars`} icon="star">
              {texts.starred}
            </MenuLink>
          )}
          <MenuLink to="/user/settings/organization" icon="organization">
            {texts.organizations}
          </MenuLink>
          <MenuLink to="/user/settings" icon="gear">
            {texts.settings}
          </MenuLink>
          {viewer.isAdmin ? (
            <MenuLink to="/admin" icon="server">
              {texts.administration}
            </MenuLink>
          ) : null}
        </ul>
        <ActButton to="/user/logout" kind="quiet" icon="sign-out" formClass="menu-foot">
          {texts.signOut}
        </ActButton>
      </Menu>
    </>
  )
}

const FooterView = ({ languageTo }: { readonly languageTo?: string }) => {
  const { config } = usePage()
  return (
    <footer class="site-footer" aria-label={texts.footer}>
      <span>{config.instance.appName}</span>
      <span class="spacer" />
      {languageTo === undefined || languageChoices(config.i18n).length === 1 ? null : (
        <Link to={languageTo}>
          <Icon name="globe" /> {texts.languageIs(ownNameOf(readerLanguage()))}
        </Link>
      )}
      <Link to="/api/swagger">{texts.api}</Link>
      <button type="button" class="link needs-script" data-hotkey="Mod+k" data-opens="palette">
        {texts.palette}
      </button>
      <button type="button" class="link needs-script" data-hotkey="?" data-opens="shortcuts">
        {texts.shortcuts}
      </button>
      <span>{texts.poweredBy}</span>
    </footer>
  )
}

const SiteFooter = keptPart(() => <FooterView />)

const GuestFooter = keptPart(({ languageTo }) => <FooterView languageTo={languageTo} />, ['languageTo'])

const languagePath = '/user/language'

const Footer = () => {
  const { viewer, url } = usePage()
  if (viewer) return <SiteFooter />
  const back = url === '/' || url.startsWith(languagePath) ? '' : `?redirect_to=${encodeURIComponent(url)}`
  return <GuestFooter languageTo={languagePath + back} />
}

/** Keys that are pressed at once, such as `mod` and `k`; the style sheet shows those of this machine. */
const Keys = ({ names }: { readonly names: readonly string[] }) => (
  <kbd>
    {names.map((name) =>
      name === 'mod' ? (
        <>
          <span class="apple-only">⌘</span>
          <span class="not-apple">{texts.keyNames.mod}+</span>
        </>
      ) : name === 'shift' ? (
        `${texts.keyNames.shift}+`
      ) : names.length > 1 && name.length === 1 ? (
        name.toUpperCase()
      ) : (
        name
      ),
    )}
  </kbd>
)

/** What scripts put above a field with a draft of another version of its text. */
const DraftOffer = () => {
  const { draft } = texts
  const act = (name: 'restore' | 'difference' | 'discard') => (
    <button
      type="button"
      class="button small"
      data-draft-act={name}
      {...(name === 'difference' ? { 'aria-expanded': 'false' } : {})}
    >
      {draft[name]}
    </button>
  )
  return (
    <template id="draft-offer">
      <div class="flash warning draft-offer" role="status" data-draft-offer="">
        <Icon name="history" />
        <div class="stack tight">
          <p>
            <strong>{draft.kept}</strong> {draft.changed} <relative-time class="time" />
          </p>
          <div class="acts">
            {act('restore')}
            {act('difference')}
            {act('discard')}
          </div>
          <div data-draft-panel="" data-none={draft.none} data-cut={draft.cut} hidden />
        </div>
      </div>
    </template>
  )
}

/** What scripts put around a diagram. */
const DiagramParts = () => {
  const { diagram } = texts
  const messages = { 'data-slow': diagram.slow, 'data-failed': diagram.failed, 'data-unloaded': diagram.unloaded }
  return (
    <template id="diagram-parts" data-title={diagram.title} {...messages}>
      <div class="diagram">
        <p role="status" />
        <p class="acts">
          <button type="button" class="button quiet small" data-copy="">
            {diagram.copy}
          </button>
          <button type="button" class="button quiet small" data-diagram="source" aria-pressed="false">
            {diagram.source}
          </button>
          <button type="button" class="button quiet small" data-diagram="whole">
            {diagram.whole}
          </button>
        </p>
      </div>
      <dialog class="diagram-dialog" aria-label={diagram.title}>
        <form method="dialog" class="dialog-head">
          <h2>{diagram.title}</h2>
          <button type="submit" class="button quiet icon-only" aria-label={texts.close}>
            <Icon name="x" />
          </button>
        </form>
      </dialog>
    </template>
  )
}

/** What scripts show when an answer does not come, with a button that asks again (`browser/sending.ts`). */
const Unanswered = ({ id, words, again }: { readonly id: string; readonly words: string; readonly again: string }) => (
  <template id={id}>
    <div class="problem flash" role="alert">
      <Icon name="alert" />
      <span>
        <strong data-busy={texts.busy}>{texts.unsent}</strong> {words}
      </span>
      <button type="button" class="button small">
        {again}
      </button>
    </div>
  </template>
)

/** Dialogs that scripts open. */
const Dialogs = keptPart(() => {
  const { config } = usePage()
  return (
    <>
      <dialog id="palette" class="palette" aria-label={texts.palette} data-url={siteHref(config, '/-/palette')}>
        <input type="search" aria-label={texts.palette} placeholder={texts.paletteHint} autocomplete="off" />
        <div id="palette-list" role="listbox" aria-label={texts.palette} />
        <p role="status" data-failed={texts.paletteFailed} />
      </dialog>
      <template id="confirm-dialog">
        <dialog class="dialog question" aria-labelledby="question">
          <p id="question" data-question="" />
          <form method="dialog" class="acts">
            <button value="no" class="button">
              {texts.cancel}
            </button>
            <button value="yes" class="button danger">
              {texts.goOn}
            </button>
          </form>
        </dialog>
      </template>
      <Unanswered id="unsent" words={texts.unsentHint} again={texts.sendAgain} />
      <Unanswered id="unloaded" words={texts.unloaded} again={texts.errors.retry} />
      <DraftOffer />
      <DiagramParts />
      <dialog id="shortcuts" class="dialog" aria-label={texts.shortcuts}>
        <form method="dialog" class="dialog-head">
          <h2>{texts.shortcuts}</h2>
          <button type="submit" class="button quiet icon-only" aria-label={texts.close}>
            <Icon name="x" />
          </button>
        </form>
        <div class="shortcut-groups">
          {texts.shortcutGroups.map((group) => (
            <section>
              <h3>{group.title}</h3>
              <dl>
                {group.keys.map(([keys, meaning]) => (
                  <div>
                    <dt>
                      {keys.split(' ').map((key) => (
                        <Keys names={key.split('+')} />
                      ))}
                    </dt>
                    <dd>{meaning}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </dialog>
    </>
  )
})
