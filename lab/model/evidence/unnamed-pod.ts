/** The uid of a pod of which neither name nor uid was pasted: all such parts of one input are taken to be of one pod. */
export const UNNAMED_POD = 'a pod without a name';
