package etinspect;

/** A program (.pte) of ExecuTorch: loaded, run, traced. One thread at a time. */
public final class Program implements AutoCloseable {
    static {
        System.loadLibrary("et_inspect_jni");
    }

    private long handle;

    /** Throws IllegalStateException with the runtime's message when the file cannot be loaded. */
    public Program(String path, boolean traced) {
        handle = open(path, traced);
    }

    /** Runs `forward` on one float32 tensor and gives the first output, which must be float32. */
    public float[] forward(float[] input, int... sizes) {
        long elements = 1;
        for (int size : sizes) elements *= size;
        if (elements != input.length) {
            throw new IllegalArgumentException("expected " + elements + " values for the sizes, got " + input.length);
        }
        return forward(live(), input, sizes);
    }

    /** Writes the trace of all runs so far, for `et-inspect`. */
    public void writeTrace(String path) {
        writeTrace(live(), path);
    }

    @Override
    public void close() {
        if (handle != 0) close(handle);
        handle = 0;
    }

    private long live() {
        if (handle == 0) throw new IllegalStateException("the program was closed");
        return handle;
    }

    private static native long open(String path, boolean traced);
    private static native float[] forward(long handle, float[] input, int[] sizes);
    private static native void writeTrace(long handle, String path);
    private static native void close(long handle);
}
