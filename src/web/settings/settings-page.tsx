import type { ComponentChildren } from 'preact'
import type { SignedInCtx } from '../../access/context.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { sitePath } from '../shell/plain-page.tsx'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

/** The browser of a signed-in person. */
export type PersonCtx = BrowserCtx & SignedInCtx

/** Page of each part of the settings, in the order of the menu. */
const paths = {
  overview: 'user/settings',
  account: 'user/settings/account',
  security: 'user/settings/security',
  links: 'user/settings/links',
  sessions: 'user/settings/sessions',
} as const

/** A page of the settings with its menu. */
export const SettingsPage = ({
  ctx: { config },
  current,
  title,
  children,
}: {
  readonly ctx: PersonCtx
  readonly current: keyof typeof paths

  readonly title: string
  readonly children: ComponentChildren
}) => (
  <div class="settings">
    <nav aria-label={shared.settings}>
      <ul>
        {(Object.keys(paths) as (keyof typeof paths)[]).map((name) => (
          <li>
            <a href={sitePath(config, paths[name])} aria-current={name === current ? 'page' : undefined}>
              {texts.parts[name]}
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
