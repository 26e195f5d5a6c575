import { readFile } from 'node:fs/promises'
import { anyone, switchedOn } from '../../access/requirements.ts'
import type { Ctx } from '../../access/context.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { describeOpenApi, describeSwagger2, familiesOf, type ApiInfo } from '../../http/openapi.ts'
import { bytes, redirect } from '../../http/reply.ts'
import { jsonType } from '../../http/error-forms.ts'
import { builtFile } from '../../lib/assets.ts'
import { NotFound } from '../../lib/errors.ts'
import { siteHref } from '../ui/paths.ts'
import { apiDocument } from './api-document.tsx'
import { apiTexts as texts } from '../languages/texts.ts'
import { text } from '../ui/fields.ts'
import { wordTable } from '../../lib/word-table.ts'

const swaggerOn = switchedOn('swaggerEnabled', (config) => config.api.enableSwagger)

const infoOf = (ctx: Ctx): ApiInfo => ({
  title: `${ctx.config.instance.appName} API`,
  version: ctx.config.ingot.apiVersion,
  siteUrl: ctx.config.server.rootUrl,
})

/** Returns the API's description in OpenAPI 3.1. */
export const openApiDocument = operation({
  method: 'GET',
  path: '/api/openapi.json',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: bytesOf('application/json') },
  run: async ({ ctx }) => bytes(jsonType, JSON.stringify(describeOpenApi(ctx.operations(), infoOf(ctx)))),
})

/** Returns the OpenAPI description of one family of operations, such as git, downloads or a registry. */
export const openApiFamilyDocument = operation({
  method: 'GET',
  path: '/api/openapi/{family}.json',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: bytesOf('application/json') },
  async run({ ctx, params }) {
    const operations = ctx.operations()
    const family = familiesOf(operations).find((each) => each === params.family)
    if (!family) throw new NotFound('this family of operations does not exist')
    return bytes(jsonType, JSON.stringify(describeOpenApi(operations, infoOf(ctx), family)))
  },
})

/** Returns the description in Swagger 2.0, at the address that existing code generators use. */
export const swaggerDocument = operation({
  method: 'GET',
  path: '/swagger.v1.json',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: bytesOf('application/json') },
  run: async ({ ctx }) => bytes(jsonType, JSON.stringify(describeSwagger2(ctx.operations(), infoOf(ctx)))),
})

/** Shows the documentation of the API, or of the family that the query names. */
export const swaggerPage = operation({
  method: 'GET',
  path: '/api/swagger',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  query: { family: text },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query }) {
    const families = familiesOf(ctx.operations())
    const shown = families.find((each) => each === query.family) ?? 'api'
    return apiDocument(
      ctx.config,
      texts.title,
      <>
        <nav class="families" aria-label={texts.parts}>
          <a href={siteHref(ctx.config, '/')}>{ctx.config.instance.appName}</a>
          {families.map((family) => (
            <a
              href={siteHref(ctx.config, `/api/swagger?family=${family}`)}
              aria-current={family === shown ? 'page' : undefined}
            >
              {family}
            </a>
          ))}
        </nav>
        <div id="swagger-ui" data-description={siteHref(ctx.config, `/api/openapi/${shown}.json`)}>
          <noscript>
            <p class="families">
              {texts.needsScripts} <a href={siteHref(ctx.config, `/api/openapi/${shown}.json`)}>{texts.openApi}</a>
            </p>
          </noscript>
        </div>
      </>,
    )
  },
})

/** Redirects the short address to the documentation. */
export const swaggerShortcut = operation({
  method: 'GET',
  path: '/swagger',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 303: 'empty' },
  run: async ({ ctx }) => redirect(303, `${ctx.config.server.rootUrl}api/swagger`),
})

const startScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const setColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setColours)
setColours()
const target = document.getElementById('swagger-ui')
// The path of an operation is within the button that opens it, where a link cannot be reached.
const plainPaths = ({ React }) => ({
  wrapComponents: { DeepLink: () => ({ text }) => React.createElement('span', null, text) },
})
SwaggerUIBundle({
  url: target.dataset.description,
  domNode: target,
  deepLinking: true,
  validatorUrl: null,
  plugins: [plainPaths],
})
`

const pageStyle = `body { margin: 0 }
.families { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; font: 1rem/1.5 sans-serif }
.families a { color: #3b6ea5 }
.families a[aria-current] { color: inherit; font-weight: 600; text-decoration: none }
.dark-mode .families { color: #e4e6e6 }
.dark-mode .families a:not([aria-current]) { color: #8fb8e8 }
/* There is one server, and its list has no label. */
.swagger-ui .servers-title, .swagger-ui .servers { display: none }
/* Colours with enough contrast. */
.swagger-ui .info .title small { background: #5c6370 }
.swagger-ui .info .title small.version-stamp { background: #436b00 }
.swagger-ui .info :is(.url, a) { color: #1d5fa8; transition: none }
.dark-mode .swagger-ui .info :is(.url, a) { color: #8fb8e8 }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1e7549; color: #1e7549 }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1e7549 }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #555 }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b6cb5 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1e7549 }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #97520a }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #12706a }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b92727 }
.swagger-ui .opblock.opblock-head .opblock-summary-method { background: #7a3bbd }
.swagger-ui .opblock.opblock-deprecated { opacity: 1 }
`

const typeOf = wordTable<string>({
  'swagger-ui.css': 'text/css;charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript;charset=utf-8',
})

/** Serves the files of the documentation page, which loads nothing from other sites. */
export const swaggerAsset = operation({
  method: 'GET',
  path: '/assets/swagger-ui/{filename}',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: bytesOf('text/css', 'text/javascript') },
  async run({ params }) {
    const headers = { 'cache-control': 'public, max-age=86400' }
    if (params.filename === 'start.js') return bytes('text/javascript;charset=utf-8', startScript, { headers })
    if (params.filename === 'page.css') return bytes('text/css;charset=utf-8', pageStyle, { headers })
    const type = typeOf[params.filename]
    if (type === undefined) throw new NotFound()
    return bytes(type, await readFile(builtFile(`data/${params.filename}`)), { headers })
  },
})
