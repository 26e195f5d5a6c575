import { Command } from 'commander'
import { allOperations } from '../app.ts'
import { describeOpenApi, describeSwagger2 } from '../http/openapi.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

export const openApiCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('openapi'))
    .description('print the API description in OpenAPI 3.1')
    .option('--swagger', 'print it in Swagger 2.0')
    .action((options: InstanceOptions & { readonly swagger?: boolean }) => {
      const { config } = readInstance(options)
      const describe = options.swagger ? describeSwagger2 : describeOpenApi
      const document = describe(allOperations(), {
        title: `${config.instance.appName} API`,
        version: config.ingot.apiVersion,
        siteUrl: config.server.rootUrl,
      })
      terminal.out(`${JSON.stringify(document, null, 2)}\n`)
    })
