/** Parses the metadata of a version or file; its type is that of the registry that wrote it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the registry that wrote it knows its form
export const metadataOf = <Metadata>({ metadata }: { readonly metadata: string | null }): Metadata =>
  JSON.parse(metadata ?? '{}') as Metadata
