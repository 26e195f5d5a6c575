/** Names of the README templates a new repository may ask for. */
export const readmeTemplateNames: readonly string[] = ['Default']

/**
 * The README of a new repository: its name as the title, and its description below if there is one.
 * @param template name of the template; empty means `Default`
 * @returns undefined when no template has that name
 */
export function renderReadme(template: string, repository: { name: string; description: string }): string | undefined {
  if (template !== '' && !readmeTemplateNames.includes(template)) return undefined
  const title = `# ${repository.name}\n`
  return repository.description === '' ? title : `${title}\n${repository.description}\n`
}
