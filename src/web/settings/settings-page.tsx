import type { ComponentChildren } from 'preact'
import type { SignedInCtx } from '../../access/context.ts'
import type { BrowserCtx } from '../shell/browser.requirements.ts'
import { sitePath } from '../shell/page.tsx'

/** A browser of somebody who is signed in. */
export type PersonCtx = BrowserCtx & SignedInCtx

const parts = {
  overview: { path: 'user/settings', label: 'Overview' },
  account: { path: 'user/settings/account', label: 'Password and addresses' },
  security: { path: 'user/settings/security', label: 'Signing in' },
  links: { path: 'user/settings/links', label: 'Other ways to sign in' },
  sessions: { path: 'user/settings/sessions', label: 'Sessions' },
} as const

/** A page of the settings, with the way to the others beside it. */
export const SettingsPage = ({
  ctx: { config },
  current,
  title,
  children,
}: {
  readonly ctx: PersonCtx
  readonly current: keyof typeof parts
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <div class="settings">
    <nav aria-label="Settings">
      <ul>
        {Object.entries(parts).map(([name, { path, label }]) => (
          <li>
            <a href={sitePath(config, path)} aria-current={name === current ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <main>
      <h1>{title}</h1>
      {children}
    </main>
  </div>
)
