import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../../config/load-config.ts'
import { bytes } from '../../http/reply.ts'
import { framedAlike, pageHeaders } from '../shell/page-headers.ts'
import { readerLanguage } from '../languages/reader.ts'
import { siteHref } from '../ui/paths.ts'

/** The viewer of API descriptions sets styles of elements. */
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

const styles = ['swagger-ui.css', 'page.css']
const scripts = ['swagger-ui-bundle.js', 'start.js']

/** Returns the document of the API, which has its own style sheet and scripts. */
export function apiDocument(config: Config, title: string, content: ComponentChildren) {
  const assetAt = (name: string) => siteHref(config, `/assets/swagger-ui/${name}`)
  const html = renderToString(
    <html lang={readerLanguage()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${config.instance.appName}`}</title>
        <link rel="icon" type="image/svg+xml" href={siteHref(config, '/assets/icon.svg')} />
        {styles.map((name) => (
          <link rel="stylesheet" href={assetAt(name)} />
        ))}
        {scripts.map((name) => (
          <script src={assetAt(name)} defer />
        ))}
      </head>
      <body>{content}</body>
    </html>,
  )
  return bytes('text/html;charset=utf-8', `<!DOCTYPE html>\n${html}\n`, {
    headers: framedAlike({ ...pageHeaders(config, readerLanguage()), 'content-security-policy': policy }),
  })
}
