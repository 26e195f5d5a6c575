import { readFile } from 'node:fs/promises'
import { anyone, switchedOn } from '../access/requirements.ts'
import type { Ctx } from '../access/context.ts'
import { operation } from '../http/operation.ts'
import { describeOpenApi, describeSwagger2, type ApiInfo } from '../http/openapi.ts'
import { bytes, redirect } from '../http/reply.ts'
import { pathText } from '../http/schema.ts'
import { jsonType } from '../http/error-forms.ts'
import { builtFile } from '../lib/assets.ts'
import { NotFound } from '../lib/errors.ts'
import { page, sitePath } from './page.tsx'

const swaggerOn = switchedOn('swaggerEnabled', (config) => config.api.enableSwagger)

const infoOf = (ctx: Ctx): ApiInfo => ({
  title: `${ctx.config.instance.appName} API`,
  version: ctx.config.ingot.apiVersion,
  siteUrl: ctx.config.server.rootUrl,
})

/** The description in OpenAPI 3.1. */
export const openApiDocument = operation({
  method: 'GET',
  path: '/api/openapi.json',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: 'bytes' },
  run: async ({ ctx }) => bytes(jsonType, JSON.stringify(describeOpenApi(ctx.operations(), infoOf(ctx)))),
})

/** The description in Swagger 2.0, at the address that the family's generators know. */
export const swaggerDocument = operation({
  method: 'GET',
  path: '/swagger.v1.json',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: 'bytes' },
  run: async ({ ctx }) => bytes(jsonType, JSON.stringify(describeSwagger2(ctx.operations(), infoOf(ctx)))),
})

/** The documentation to browse. */
export const swaggerPage = operation({
  method: 'GET',
  path: '/api/swagger',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: 'bytes' },
  run: async ({ ctx }) =>
    page(ctx.config, {
      title: 'API',
      styles: ['assets/swagger-ui/swagger-ui.css'],
      scripts: ['assets/swagger-ui/swagger-ui-bundle.js', 'assets/swagger-ui/start.js'],
      content: <div id="swagger-ui" data-description={sitePath(ctx.config, 'api/openapi.json')} />,
    }),
})

/** The bare address leads to the documentation. */
export const swaggerShortcut = operation({
  method: 'GET',
  path: '/swagger',
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 303: 'empty' },
  run: async ({ ctx }) => redirect(303, `${ctx.config.server.rootUrl}api/swagger`),
})

const startScript = `const target = document.getElementById('swagger-ui')
SwaggerUIBundle({ url: target.dataset.description, domNode: target, deepLinking: true, validatorUrl: null })
`

const typeOf: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css;charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript;charset=utf-8',
}

/** Files of the browsable documentation; nothing of them is loaded from elsewhere. */
export const swaggerAsset = operation({
  method: 'GET',
  path: '/assets/swagger-ui/{filename}',
  params: { filename: pathText },
  base: 'site',
  scope: null,
  requires: [anyone, swaggerOn],
  reply: { 200: 'bytes' },
  async run({ params }) {
    const headers = { 'cache-control': 'public, max-age=86400' }
    if (params.filename === 'start.js') return bytes('text/javascript;charset=utf-8', startScript, { headers })
    const type = typeOf[params.filename]
    if (type === undefined) throw new NotFound()
    return bytes(type, await readFile(builtFile(`data/${params.filename}`)), { headers })
  },
})
