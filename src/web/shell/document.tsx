import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { iconScope } from '../ui/icon.tsx'
import { pageScope, type PageFacts } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { readerLanguage } from '../languages/reader.ts'
import { iconFiles } from './assets.ts'
import { shellTexts as texts } from '../languages/texts.ts'

/** What the head of a document says. */
export interface PageMeta {
  readonly title: string
  readonly description?: string | undefined
  /** Path below the site root, when the page has several addresses. */
  readonly canonical?: string | undefined
  /** Absolute address of a picture for previews elsewhere. */
  readonly picture?: string | undefined
  readonly feeds?: readonly { readonly to: string; readonly type: 'rss' | 'atom'; readonly title: string }[]
  /** Search engines do not list the page. */
  readonly isUnlisted?: boolean | undefined
  /** Loads the style sheet of differences, pull requests, workflow runs and notebooks. */
  readonly withFurtherStyles?: boolean | undefined
  /** Loads the script of pages that edit a file. */
  readonly withEditor?: boolean | undefined
  /** The page loads itself again in this interval, because what it shows is in progress. */
  readonly refreshSeconds?: number | undefined
  /** Further scripts, as paths below the site root. They run once, so the browser loads the page as a whole. */
  readonly scripts?: readonly string[] | undefined
  /** The value of the `go-import` tag, by which Go finds a module's repository. */
  readonly goImport?: string | undefined
}

const longestDescription = 200

/** Returns what a view shows as HTML; the renderer escapes texts. */
export const renderView = (facts: PageFacts, view: VNode): string =>
  pageScope.during(facts, () => iconScope.during(iconFiles(facts.config), () => renderToString(view)))

/** Returns the document as HTML. */
export function renderDocument(facts: PageFacts, meta: PageMeta, body: ComponentChildren): string {
  const { config } = facts
  const siteName = config.instance.appName
  const title = `${facts.refused ? texts.errorTitle(meta.title) : meta.title} · ${siteName}`
  const root = config.server.rootUrl.slice(0, -1)
  const description =
    meta.description === undefined || meta.description === ''
      ? undefined
      : meta.description.slice(0, longestDescription)
  const theme = facts.viewer?.user.theme ?? ''
  const html = renderView(
    facts,
    <html lang={readerLanguage()} data-theme={theme === 'light' || theme === 'dark' ? theme : 'auto'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {/* Pages in another language are loaded as a whole, so that no copy of a page in the old one is shown. */}
        <meta name="language" content={readerLanguage()} data-turbo-track="reload" />
        <meta name="color-scheme" content="light dark" />
        <meta name="turbo-refresh-method" content="morph" />
        <meta name="turbo-refresh-scroll" content="preserve" />
        {meta.scripts === undefined ? null : <meta name="turbo-visit-control" content="reload" />}
        {siteHref(config, '/') === '/' ? null : <meta name="turbo-root" content={siteHref(config, '')} />}
        <meta name="site-root" content={siteHref(config, '')} />
        {facts.viewer ? <meta name="viewer" content={facts.viewer.user.name} /> : null}
        {meta.refreshSeconds === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(meta.refreshSeconds)} />
          </noscript>
        )}
        {description === undefined ? null : <meta name="description" content={description} />}
        {meta.isUnlisted ? <meta name="robots" content="noindex" /> : null}
        <meta property="og:site_name" content={siteName} />
        <meta property="og:title" content={meta.title} />
        <meta property="og:type" content="website" />
        <meta property="og:url" content={root + (meta.canonical ?? facts.url)} />
        {description === undefined ? null : <meta property="og:description" content={description} />}
        {meta.picture === undefined ? null : <meta property="og:image" content={meta.picture} />}
        {meta.goImport === undefined ? null : <meta name="go-import" content={meta.goImport} />}
        {meta.canonical === undefined ? null : <link rel="canonical" href={root + meta.canonical} />}
        <link rel="icon" type="image/svg+xml" href={siteHref(config, '/assets/icon.svg')} />
        <link rel="stylesheet" href={facts.asset('forge.css')} data-turbo-track="reload" />
        {meta.withFurtherStyles ? <link rel="stylesheet" href={facts.asset('further.css')} /> : null}
        {(config.other.enableFeed ? meta.feeds : undefined)?.map((feed) => (
          <link
            rel="alternate"
            type={`application/${feed.type}+xml`}
            title={feed.title}
            href={siteHref(config, feed.to)}
          />
        ))}
        <script type="module" src={facts.asset('forge.js')} data-turbo-track="reload" />
        {meta.withEditor ? <script type="module" src={facts.asset('editor.js')} /> : null}
        {meta.scripts?.map((path) => (
          <script src={siteHref(config, path)} defer />
        ))}
      </head>
      {body}
    </html>,
  )
  return `<!DOCTYPE html>\n${html}\n`
}
