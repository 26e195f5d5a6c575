/** What a registry noted of a version or file; it has the form in which the registry wrote it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the registry that wrote it knows its form
export const metadataOf = <Metadata>({ metadata }: { readonly metadata: string | null }): Metadata =>
  JSON.parse(metadata ?? '{}') as Metadata
