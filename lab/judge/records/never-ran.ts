/** Reasons of a container that was made and never ran. */
export const NEVER_RAN = /^(?:StartError|RunContainerError|CreateContainerError|ContainerCannotRun)$/;
