import { Command } from 'commander'
import type { Services } from '../access/context.ts'
import { testDirectory } from '../sources/ldap/directory.service.ts'
import { testProvider } from '../sources/openid/provider.service.ts'
import { callbackOf } from '../sources/source.rules.ts'
import { addSource, allSources, editSource, getSource, removeSource, type Source } from '../sources/source.service.ts'
import { kinds, sourceInputOf, withSourceOptions, type KindName } from './auth-source-options.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { printable, type Terminal } from './terminal.ts'

interface SourceOptions extends InstanceOptions, Readonly<Record<string, unknown>> {
  readonly id?: string
}

/** Authentication sources. */
export function authCommand(terminal: Terminal): Command {
  const auth = new Command('auth')
    .description('manage authentication sources: OpenID Connect providers and LDAP directories')
    .addCommand(listCommand(terminal))
  for (const name of Object.keys(kinds) as KindName[]) {
    auth.addCommand(addCommand(terminal, name)).addCommand(updateCommand(terminal, name))
  }
  return auth.addCommand(deleteCommand(terminal)).addCommand(testCommand(terminal))
}

const idOption = (command: Command): Command =>
  withInstanceOptions(command).requiredOption('--id <id>', 'id of the source; `ingot admin auth list` shows it')

const listCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('list the authentication sources')
    .action((options: InstanceOptions) =>
      withInstance(options, async (services) => {
        for (const { id, name, kind, isActive } of await allSources(services)) {
          terminal.out(`${id}\t${name}\t${kind}\t${isActive ? 'active' : 'off'}\n`)
        }
      }),
    )

const addCommand = (terminal: Terminal, name: KindName): Command =>
  withSourceOptions(withInstanceOptions(new Command(`add-${name}`)), name)
    .description(`add ${what[name]}`)
    .requiredOption('--name <name>', 'name of the source; sign-in addresses contain it')
    .action((options: SourceOptions) =>
      withInstance(options, async (services) => {
        const source = await addSource(services, kinds[name].kind, await sourceInputOf(name, options))
        terminal.out(`added ${source.name}, number ${source.id}\n`)
        printCallback(terminal, services, source)
      }),
    )

const updateCommand = (terminal: Terminal, name: KindName): Command =>
  withSourceOptions(idOption(new Command(`update-${name}`)), name)
    .description(`change ${what[name]}; settings that are not given stay as they are`)
    .option('--name <name>', 'new name')
    .action((options: SourceOptions) =>
      withInstance(options, async (services) => {
        const source = await sourceOfId(services, options)
        if (source.kind !== kinds[name].kind) {
          throw new CommandFailure(`source ${source.name} is not ${what[name]}; update it with the command of its kind`)
        }
        const edited = await editSource(services, source, await sourceInputOf(name, options))
        terminal.out(`changed ${edited.name}\n`)
        if (edited.name !== source.name) printCallback(terminal, services, edited)
      }),
    )

const deleteCommand = (terminal: Terminal): Command =>
  idOption(new Command('delete'))
    .description('remove a source that no account uses')
    .action((options: SourceOptions) =>
      withInstance(options, async (services) => {
        const source = await sourceOfId(services, options)
        await removeSource(services, source)
        terminal.out(`removed ${source.name}\n`)
      }),
    )

const testCommand = (terminal: Terminal): Command =>
  idOption(new Command('test'))
    .description('test a source: connect and look people up as a sign-in does, without a password')
    .option('--login <name>', 'name of a person to look up in the directory')
    .action((options: SourceOptions) =>
      withInstance(options, async (services) => {
        const source = await sourceOfId(services, options)
        const login = typeof options['login'] === 'string' ? options['login'] : ''
        const steps =
          source.kind === 'ldap'
            ? await testDirectory(services, source as Source<'ldap'>, login)
            : await testProvider(services, source as Source<'openid'>)
        for (const { ok, what: step, found } of steps) {
          terminal.out(`${ok ? 'ok    ' : 'failed'} ${step}: ${printable(found).slice(0, 2000)}\n`)
        }
        if (!steps.every(({ ok }) => ok)) {
          throw new CommandFailure(`source ${source.name} does not work; the failed step above says why`)
        }
      }),
    )

const what: Readonly<Record<KindName, string>> = {
  oauth: 'an OpenID Connect provider',
  ldap: 'an LDAP directory that the server searches for people',
  'ldap-simple': 'an LDAP directory that people bind to themselves',
}

function printCallback(terminal: Terminal, { config }: Services, { kind, name }: Source): void {
  if (kind === 'openid') terminal.out(`redirect URI for the provider: ${callbackOf(config.server.rootUrl, name)}\n`)
}

async function sourceOfId(services: Services, { id = '' }: SourceOptions): Promise<Source> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new CommandFailure(`--id ${id}: is not the id of a source; list them with ingot admin auth list`)
  }
  return getSource(services, Number(id))
}
