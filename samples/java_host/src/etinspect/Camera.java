package etinspect;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;

/** The classification loop of a camera app, with pictures from files: scale, run, take the best score. */
public final class Camera {
    private static final int SIZE = 8;

    /** Means of squares of the picture, 0 for white and 1 for black, as the model was trained. */
    static float[] pixels(BufferedImage picture) {
        float[] out = new float[SIZE * SIZE];
        int w = picture.getWidth() / SIZE, h = picture.getHeight() / SIZE;
        if (w == 0 || h == 0) throw new IllegalArgumentException("expected a picture of 8 x 8 pixels or more");
        for (int i = 0; i < out.length; i++) {
            long sum = 0;
            for (int y = 0; y < h; y++) {
                for (int x = 0; x < w; x++) sum += picture.getRaster().getSample(i % SIZE * w + x, i / SIZE * h + y, 0);
            }
            out[i] = 1 - sum / (255f * w * h);
        }
        return out;
    }

    public static void main(String[] words) throws IOException {
        if (words.length < 3) {
            System.err.println("usage: Camera MODEL.pte ETDUMP PICTURE.png...");
            System.exit(2);
        }
        try (Program program = new Program(words[0], true)) {
            for (int i = 2; i < words.length; i++) {
                BufferedImage picture = ImageIO.read(new File(words[i]));
                if (picture == null) throw new IOException(words[i] + ": not a picture");
                float[] scores = program.forward(pixels(picture), 1, 1, SIZE, SIZE);
                int best = 0;
                for (int k = 1; k < scores.length; k++) best = scores[k] > scores[best] ? k : best;
                System.out.println(words[i] + ": " + best);
            }
            program.writeTrace(words[1]);
        } catch (IllegalStateException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
